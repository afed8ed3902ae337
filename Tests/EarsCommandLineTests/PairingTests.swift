import Bluetooth
import CommandLineTools
import Ears
import Foundation
import Testing
import TestSupport

@testable import EarsCommandLine

@Suite struct PairingDialogueTests {
    static let digits = Passkey(123_456)!
    static let proved: [Result<ScriptedPeripheral, BluetoothError>] = [
        .success(ScriptedPeripheral()), .success(ScriptedPeripheral()),
    ]

    /// Asks for the digits as BlueZ does, and fails where they are refused.
    private static let asking: @Sendable (@Sendable (Passkey) async -> Bool) async -> Result<Void, BluetoothError> = {
        await $0(digits) ? .success(()) : .failure(.pairing(.rejectedHere))
    }

    private func pair(_ comparison: DigitComparison, on bench: Bench) async throws {
        let dialogue = try PairingDialogue(
            finder: bench.finder, comparison: comparison, invocation: bench.invocation)
        try await dialogue.pair(.unpaired())
    }

    /// A console that says this once the pairing has begun.
    private func pair(console line: String, _ script: ScriptedCentral.Script) async throws -> Bench {
        let console = Pipe()
        var script = script
        script.pair = { confirm in
            try? console.fileHandleForWriting.write(contentsOf: Data(line.utf8))
            try? console.fileHandleForWriting.close()
            return await Self.asking(confirm)
        }
        let bench = try Bench(script)
        try await pair(.source("\(console.fileHandleForReading.fileDescriptor)"), on: bench)
        return bench
    }

    @Test func `digits that are the same make a bond, proved by a fresh connection`() async throws {
        let first = ScriptedPeripheral()
        let fresh = ScriptedPeripheral()
        let bench = try await pair(
            console: "passkey 123456\n", .init(connections: [.success(first), .success(fresh)]))
        let limit = PairingDialogue.deadline
        #expect(
            bench.central.calls == [
                .pair(.first), .connect(.first, deadline: limit), .connect(.first, deadline: limit),
            ])
        #expect(first.disconnectCount == 1 && fresh.disconnectCount == 1)
        #expect(bench.memory.address == .first)
        let expected =
            #"{"schema":"espurr.pair/1","address":"C4:11:22:33:44:55","name":"espurr-4455","adapter":"hci0","#
            + #""compared_by":"source","proved":true}"#
        #expect(bench.output == expected + "\n")
        #expect(bench.messages.contains("here 123456, on the ears 123456"))
    }

    @Test func `other digits refuse the pairing`() async throws {
        let failure = await #expect(throws: CommandFailure.self) {
            _ = try await pair(console: "passkey 123457\n", .init())
        }
        #expect(failure?.status == .pairing)
        #expect(failure?.cause == "the digits differ (here 123456, on the ears 123457): not paired")
    }

    @Test func `a console that ends without digits refuses the pairing`() async throws {
        let failure = await #expect(throws: CommandFailure.self) { _ = try await pair(console: "bye\n", .init()) }
        #expect(failure?.code == "no_digits")
    }

    @Test func `where nobody compares it is said so`() async throws {
        let bench = try Bench(.init(connections: Self.proved, pair: Self.asking))
        try await pair(.nobody, on: bench)
        #expect(bench.messages.contains("accepting 123456 without comparing it"))
        #expect(bench.output.contains(#""compared_by":"nobody""#))
    }

    @Test func `without a terminal nobody can compare, and nothing is tried`() async throws {
        let bench = try Bench(.init())
        let failure = await #expect(throws: CommandFailure.self) { try await pair(.person, on: bench) }
        #expect(failure?.status == .usage)
        #expect(bench.central.calls == [])
    }

    @Test func `a downgraded pairing has failed`() async throws {
        let bench = try Bench(.init(pair: { _ in .failure(.pairing(.downgraded)) }))
        let failure = await #expect(throws: CommandFailure.self) { try await pair(.nobody, on: bench) }
        #expect(failure?.code == "downgraded")
        #expect(bench.memory.address == nil)
    }

    static let unproved: [[Result<ScriptedPeripheral, BluetoothError>]] = [
        [.failure(.linkLost(during: .connect))],
        [.success(ScriptedPeripheral()), .failure(.staleBond(.first))],
        [.success(ScriptedPeripheral()), .failure(.connectFailed(.notInRange))],
        [
            .success(ScriptedPeripheral()),
            .success(ScriptedPeripheral(version: .failure(.attribute(code: 5, during: .read)))),
        ],
    ]

    @Test(arguments: unproved.indices) func `a bond that is not proved is removed`(index: Int) async throws {
        let bench = try Bench(
            .init(connections: Self.unproved[index], pair: Self.asking, removal: .success(())))
        let failure = await #expect(throws: CommandFailure.self) { try await pair(.nobody, on: bench) }
        #expect(failure?.code == "bond_not_proved")
        #expect(bench.central.calls.last == .remove(.first))
        #expect(bench.output == "")
    }

    @Test func `where the bond cannot be removed, it is not said that it was`() async throws {
        let bench = try Bench(
            .init(
                known: [.ears()], connections: [.failure(.linkLost(during: .connect))], pair: Self.asking,
                removal: .failure(.machine(.adapterOff(.zero)))))
        let failure = await #expect(throws: CommandFailure.self) { try await pair(.nobody, on: bench) }
        #expect(failure?.code == "adapter_off")
        #expect(bench.finder.pairingRecords.all == [.ofFirst])
    }

    @Test func `ears that only USB can help keep their bond`() async throws {
        let old = ScriptedPeripheral(version: .success(ScriptedPeripheral.securityTwo))
        let bench = try Bench(.init(connections: [.success(ScriptedPeripheral()), .success(old)], pair: Self.asking))
        let failure = await #expect(throws: CommandFailure.self) { try await pair(.nobody, on: bench) }
        #expect(failure?.status == .protocolNotSupported)
        #expect(old.disconnectCount == 1)
    }

    @Test(arguments: [("y\n", true), ("yes\n", true), ("n\n", false), ("\n", false)])
    func `a person's answer decides`(answer: String, isPaired: Bool) async throws {
        let terminal = Pipe()
        let bench = try Bench(
            .init(connections: Self.proved, pair: Self.asking),
            input: Console.Input(descriptor: terminal.fileHandleForReading.fileDescriptor, isTerminal: true))
        try terminal.fileHandleForWriting.write(contentsOf: Data(answer.utf8))
        do {
            try await pair(.person, on: bench)
            #expect(isPaired)
        } catch let failure as CommandFailure {
            #expect(!isPaired && failure.code == "digits_refused")
        }
        #expect(bench.messages.contains("Does the serial console of espurr-4455 show 123456? [y/N]"))
    }

    @Test func `nobody's answer within 30 seconds is told as that`() async throws {
        let terminal = Pipe()
        let bench = try Bench(
            .init(pair: Self.asking),
            input: Console.Input(descriptor: terminal.fileHandleForReading.fileDescriptor, isTerminal: true))
        let dialogue = try PairingDialogue(finder: bench.finder, comparison: .person, invocation: bench.invocation)
        let pairing = Task { try await dialogue.pair(.unpaired()) }
        try await bench.clock.sleepers(1)
        bench.clock.advance(by: .seconds(30))
        let failure = await #expect(throws: CommandFailure.self) { try await pairing.value }
        #expect(failure?.code == "pairing_timed_out")
        withExtendedLifetime(terminal) {}
    }

    @Test func `a cancel while the digits are asked for is a cancel`() async throws {
        let terminal = Pipe()
        let bench = try Bench(
            .init(pair: Self.asking),
            input: Console.Input(descriptor: terminal.fileHandleForReading.fileDescriptor, isTerminal: true))
        let dialogue = try PairingDialogue(finder: bench.finder, comparison: .person, invocation: bench.invocation)
        let pairing = Task { try await dialogue.pair(.unpaired()) }
        try await bench.clock.sleepers(1)
        pairing.cancel()
        let failure = await #expect(throws: CommandFailure.self) { try await pairing.value }
        #expect(failure?.status == .cancelled)
        withExtendedLifetime(terminal) {}
    }
}

@Suite struct PairingCandidateTests {
    @Test func `named ears are taken as soon as they are there`() async throws {
        let bench = try Bench(.init(heard: [.unpaired(.second, name: "b"), .unpaired()]))
        let options = EarsOptions(device: .address(.first))
        #expect(try await PairingCandidate.find(options, with: bench.finder) == .unpaired())
    }

    private func find(among heard: [Sighting]) async throws -> Result<Sighting, CommandFailure> {
        let bench = try Bench(.init(heard: heard))
        let finder = bench.finder
        let search = Task { () -> Result<Sighting, CommandFailure> in
            do throws(CommandFailure) {
                return .success(try await PairingCandidate.find(EarsOptions(timeout: .seconds(5)), with: finder))
            } catch {
                return .failure(error)
            }
        }
        try await bench.clock.sleepers(2)
        bench.clock.advance(by: .seconds(5))
        return await search.value
    }

    @Test func `the only unpaired ears around are taken`() async throws {
        #expect(try await find(among: [.ears(.second), .unpaired()]) == .success(.unpaired()))
    }

    @Test func `of several none is guessed`() async throws {
        let result = try await find(among: [.unpaired(), .unpaired(.second)])
        guard case .failure(let failure) = result else {
            Issue.record("\(result)")
            return
        }
        #expect(failure.code == "several_ears" && failure.status == .usage)
    }

    @Test func `bonded ears alone are no candidate, and are named`() async throws {
        let ears = Sighting.ears(rssi: -50)
        guard case .failure(let failure) = try await find(among: [.ears(.second, name: "b"), ears]) else {
            Issue.record("bonded ears were chosen")
            return
        }
        #expect(failure.status == .pairing && failure.code == "already_paired")
        #expect(failure.cause == "\(ears.inWords) is paired already, and no others are heard")
        #expect(failure.remedy?.hasPrefix("espurr-ctl info --device \(ears.address) shows") == true)
        #expect(failure.remedy?.contains("repair-bond") == false)
    }

    @Test func `bonded ears that are not heard either need switching on, and no mending`() async throws {
        guard case .failure(let failure) = try await find(among: [.ears()]) else {
            Issue.record("bonded ears were chosen")
            return
        }
        #expect(failure.status == .earsNotFound && failure.code == "ears_not_found")
        #expect(
            failure.cause == "no ears were heard within 5 s; espurr-4455 (C4:11:22:33:44:55) is paired already, "
                + "and was not heard either")
        #expect(failure.remedy?.hasPrefix("switch them on") == true)
    }

    @Test func `how long is looked is said first`() async throws {
        let bench = try Bench(.init(heard: [.unpaired()]))
        let options = EarsOptions(device: .address(.first), timeout: .seconds(7))
        _ = try await PairingCandidate.find(options, with: bench.finder)
        #expect(bench.messages.hasPrefix("looking for “C4:11:22:33:44:55” on hci0, at most 7 s…\n"))
    }

    @Test func `nobody there is not found`() async throws {
        #expect(try await find(among: []) == .failure(.notFound(nil, after: .seconds(5))))
    }
}

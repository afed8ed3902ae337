import Bluetooth
import CommandLineTools
import Ears
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import EarsCommandLine

extension PairingRecords.Record {
    /// Of the first ears with the working adapter.
    static let ofFirst = PairingRecords.Record(adapter: Adapter.working.address, device: .first)
}

/// Pairings that were cut off, and what the next command does about them.
@Suite struct UnfinishedPairingTests {
    private func bench(_ script: ScriptedCentral.Script) throws -> Bench {
        let bench = try Bench(script)
        try bench.finder.pairingRecords.begin(.ofFirst)
        return bench
    }

    @Test func `a pairing is on record from before BlueZ is asked until its bond is proved`() async throws {
        let seen = Mutex<[PairingRecords.Record]>([])
        let records = Mutex<PairingRecords?>(nil)
        let bench = try Bench(
            .init(
                connections: PairingDialogueTests.proved,
                pair: { confirm in
                    seen.withLock { $0 = records.withLock { $0 }?.all ?? [] }
                    return await confirm(PairingDialogueTests.digits) ? .success(()) : .failure(.cancelled)
                }))
        records.withLock { $0 = bench.finder.pairingRecords }
        let dialogue = try PairingDialogue(
            finder: bench.finder, comparison: .nobody, invocation: bench.invocation)
        try await dialogue.pair(.unpaired())
        #expect(seen.withLock { $0 } == [.ofFirst])
        #expect(bench.finder.pairingRecords.all == [])
    }

    @Test func `ears with a private address are followed to their identity, and so is the record`() async throws {
        let bench = try Bench(
            .init(
                known: [.ears(.second)], connections: [.failure(.linkLost(during: .connect))],
                pair: { await $0(PairingDialogueTests.digits) ? .success(()) : .failure(.cancelled) },
                identity: .second, removal: .failure(.machine(.adapterOff(.zero)))))
        let dialogue = try PairingDialogue(
            finder: bench.finder, comparison: .nobody, invocation: bench.invocation)
        let failure = await #expect(throws: CommandFailure.self) { try await dialogue.pair(.unpaired()) }
        #expect(failure?.code == "adapter_off")
        #expect(bench.central.calls.dropFirst().first == .connect(.second, deadline: PairingDialogue.deadline))
        #expect(bench.central.calls.last == .remove(.second))
        #expect(
            bench.finder.pairingRecords.all == [.init(adapter: Adapter.working.address, device: .second)])
    }

    @Test(arguments: [
        (EarsError.bluetooth(.pairing(.downgraded)), true), (.bluetooth(.pairing(.rejectedByPeripheral)), true),
        (.bluetooth(.cancelled), false), (.bluetooth(.machine(.noDaemon(.ended))), false),
    ])
    func `a pairing that failed stays on record where a bond may be left`(error: EarsError, isOver: Bool) async throws {
        let bench = try bench(.init(known: [.ears()]))
        await bench.finder.end(.ofFirst, failed: error, with: .unpaired())
        #expect(bench.finder.pairingRecords.all == (isOver ? [] : [.ofFirst]))
    }

    @Test func `a pairing that was cancelled and left no bond is over`() async throws {
        let bench = try bench(.init(known: []))
        await bench.finder.end(.ofFirst, failed: .bluetooth(.cancelled), with: .unpaired())
        #expect(bench.finder.pairingRecords.all == [])
    }

    @Test func `the next command removes the bond of a pairing that was cut off, and says so`() async throws {
        let bench = try bench(.init(known: [.ears()], removal: .success(())))
        #expect(try await bench.finder.usableAdapter(nil) == .zero)
        #expect(bench.central.calls == [.remove(.first)])
        #expect(bench.finder.pairingRecords.all == [])
        #expect(
            bench.messages
                == "a pairing with espurr-4455 (C4:11:22:33:44:55) was cut off before its bond was proved: "
                + "the bond was removed\n")
    }

    @Test(arguments: [.success(()), .failure(.unknownDevice(.first))] as [Result<Void, BluetoothError>])
    func `where it left no bond there is nothing to say, and the ears are found afresh`(
        removal: Result<Void, BluetoothError>
    ) async throws {
        let bench = try bench(.init(known: [.unpaired()], removal: removal))
        #expect(try await bench.finder.usableAdapter(nil) == .zero)
        #expect(bench.central.calls == [.remove(.first)])
        #expect(bench.finder.pairingRecords.all == [])
        #expect(bench.messages == "")
    }

    @Test func `what cannot be removed stays on record`() async throws {
        let bench = try bench(.init(known: [], removal: .failure(.deadline(.removeBond, after: .seconds(10)))))
        #expect(try await bench.finder.usableAdapter(nil) == .zero)
        #expect(bench.finder.pairingRecords.all == [.ofFirst])
    }

    @Test func `a bond that cannot be removed is not used`() async throws {
        let bench = try bench(.init(known: [.ears()], removal: .failure(.deadline(.removeBond, after: .seconds(10)))))
        let failure = await #expect(throws: CommandFailure.self) { _ = try await bench.finder.find(EarsOptions()) }
        #expect(failure?.code == "unproved_bond" && failure?.status == .machine)
        #expect(bench.finder.pairingRecords.all == [.ofFirst])
    }

    @Test func `a pairing of a living command is left alone`() async throws {
        let bench = try bench(.init(known: [.unpaired()]))
        let lock = try bench.finder.own(.unpaired())
        #expect(try await bench.finder.usableAdapter(nil) == .zero)
        #expect(bench.finder.pairingRecords.all == [.ofFirst])
        withExtendedLifetime(lock) {}
    }

    @Test func `a pairing on another machine's adapter is left alone`() async throws {
        let bench = try Bench(.init())
        let other = PairingRecords.Record(adapter: .second, device: .first)
        try bench.finder.pairingRecords.begin(other)
        #expect(try await bench.finder.usableAdapter(nil) == .zero)
        #expect(bench.finder.pairingRecords.all == [other])
    }

    @Test func `files of other names are no records`() throws {
        let bench = try Bench(.init())
        try bench.finder.pairingRecords.begin(.ofFirst)
        let folder = bench.finder.directories.state + "/pairings"
        for name in ["x", "02-00-00-00-00-01", "C4-11-22-33-44-55_C4-11-22-33-44-5", "a_b_c"] {
            try Data().write(to: URL(fileURLWithPath: folder + "/" + name))
        }
        #expect(bench.finder.pairingRecords.all == [.ofFirst])
        try bench.finder.pairingRecords.end(.ofFirst)
        try bench.finder.pairingRecords.end(.ofFirst)
        #expect(bench.finder.pairingRecords.all == [])
    }
}

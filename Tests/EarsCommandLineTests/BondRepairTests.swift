import Bluetooth
import CommandLineTools
import Ears
import Testing
import TestSupport

@testable import EarsCommandLine

@Suite struct BondRepairTests {
    /// Lets the scan's time run out where `timesOut` says so.
    private func repair(
        on bench: Bench, timesOut: Bool = false, consents: Bool = true
    ) async throws -> CommandFailure? {
        let dialogue = try PairingDialogue(finder: bench.finder, comparison: .nobody, invocation: bench.invocation)
        let repair = BondRepair(finder: bench.finder, dialogue: dialogue)
        let task = Task { () -> CommandFailure? in
            do throws(CommandFailure) {
                try await repair.run(EarsOptions(timeout: .seconds(5))) { _ throws(CommandFailure) in
                    if !consents { throw .interrupted }
                }
                return nil
            } catch {
                return error
            }
        }
        if timesOut {
            try await bench.clock.sleepers(2)
            bench.clock.advance(by: .seconds(5))
        }
        return await task.value
    }

    private static let removal = ScriptedCentral.Call.remove(.first)

    @Test func `ears that are not heard keep their bond`() async throws {
        let bench = try Bench(.init(known: [.ears()], heard: [.ears()]))
        let failure = try await repair(on: bench, timesOut: true)
        #expect(failure?.status == .earsNotFound)
        #expect(
            failure?.cause
                == "espurr-4455 (C4:11:22:33:44:55) was not heard within 5 s; its bond is as it was")
        #expect(failure?.remedy?.hasPrefix("switch them on") == true)
        #expect(bench.central.calls == [.scan(.zero)])
    }

    @Test func `without consent the bond stays`() async throws {
        let bench = try Bench(.init(known: [.ears()], heard: [.ears(rssi: -50)]))
        #expect(try await repair(on: bench, consents: false) == .interrupted)
        #expect(bench.central.calls == [.scan(.zero)])
    }

    @Test func `a pairing that fails after the bond is gone says that it is gone, and what makes a new one`()
        async throws
    {
        let bench = try Bench(
            .init(
                known: [.ears(connected: true)], heard: [.unpaired()],
                pair: { _ in .failure(.pairing(.rejectedByPeripheral)) }, removal: .success(())))
        let failure = try await repair(on: bench)
        #expect(failure?.status == .pairing && failure?.code == "refused_by_ears")
        #expect(
            failure?.cause.hasPrefix(
                "the bond with espurr-4455 (C4:11:22:33:44:55) is gone, and no new one was made: nobody clicked")
                == true)
        #expect(
            failure?.remedy?.hasPrefix("espurr-ctl pair --device C4:11:22:33:44:55 --adapter hci0 makes a new one")
                == true)
        // Connected ears are there, whether or not they are heard.
        #expect(bench.central.calls == [Self.removal, .scan(.zero), .pair(.first)])
    }

    @Test func `a bond that cannot be removed is not told as gone`() async throws {
        let bench = try Bench(
            .init(
                known: [.ears()], heard: [.ears(rssi: -50)],
                removal: .failure(.deadline(.removeBond, after: .seconds(10)))))
        let failure = try await repair(on: bench)
        #expect(failure?.code == "bluez_late")
        #expect(bench.central.calls == [.scan(.zero), Self.removal])
    }
}

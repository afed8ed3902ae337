import ControlProtocol
import Ears
import Firmware
import FirmwareUpdate
import Foundation
import Synchronization
import TestSupport
import Testing

@Suite struct `Before and beside the radio` {
    @Test func `what preflight refuses is never begun, and leaves no record`() async throws {
        let bench = try Bench()
        bench.ears.state.withLock { $0.slots[0].otaState = .pendingVerify }
        await #expect(throws: InstallationError.preflight([.trialPending])) { try await bench.install() }
        #expect(bench.ears.requests == [.status])
        #expect(try bench.log.contents().attempts == [])
    }

    @Test func `without a record nothing is begun`() async throws {
        let bench = try Bench()
        try bench.folder.write("", to: "state")
        let error = AttemptLogError.notWritten(path: "\(bench.folder.path)/state/attempts", errno: ENOTDIR)
        await #expect(throws: InstallationError.record(error)) { try await bench.install() }
        #expect(bench.ears.requests == [.status])
    }

    @Test func `a record that can no longer be written does not stop the installation`() async throws {
        let bench = try Bench()
        let attempts = "\(bench.folder.path)/state/attempts"
        let run = try await bench.install { event in
            guard event == .sent else { return false }
            try? FileManager.default.removeItem(atPath: attempts)
            _ = try? bench.folder.write("", to: "state/attempts")
            return false
        }
        #expect(run.verdict == .confirmed)
        #expect(run.events.filter { $0.name == "recordFailed" }.count == 5)
    }

    @Test func `each milestone is on record before the step that follows it`() async throws {
        let bench = try Bench()
        let record = Mutex<[String: Milestone]>([:])
        _ = try await bench.install { event in
            let milestone = try? bench.log.contents().attempts.last?.milestone
            record.withLock { $0[event.name] = $0[event.name] ?? milestone }
            return false
        }
        #expect(
            record.withLock { $0 } == [
                "erasing": .begun, "sending": .begun, "exchange": .begun, "progress": .begun, "sent": .begun,
                "verifying": .sent, "accepted": .sent, "selected": .selected, "restarting": .selected,
                "reconnecting": .restarting,
                "watching": .restarting, "booted": .restarting,
            ])
    }
}

import Ears
import Firmware
import FirmwareUpdate
import Synchronization
import TestSupport
import Testing

@Suite struct `Cancelling` {
    @Test(arguments: ["erasing", "sending", "progress", "sent"])
    func `before selected: the session is aborted on the ears, and they are read`(event: String) async throws {
        let bench = try Bench()
        let run = try await bench.install { $0.name == event }
        #expect(run.verdict == .cancelled)
        #expect(bench.ears.state.withLock { $0.session } == 0)
        #expect(bench.ears.requests.last == .status)
        #expect(run.result.readings.latest?.runningSlot == 0)
        #expect(run.result.attempt.verdict == .cancelled)
        #expect(run.events.contains { $0.name == "cancelling" })
    }

    @Test(arguments: ["nothing", "erasing", "progress", "selected", "booted"])
    func `the machine is kept awake from before the first byte until the verdict, wherever it is cancelled`(
        event: String
    ) async throws {
        let bench = try Bench()
        let run = try await bench.install { $0.name == event }
        #expect((run.verdict == .confirmed) == (event == "nothing"))
        guard case .awake(let before)? = bench.wake.changes.first else { throw MissingWake() }
        #expect(bench.ears.requests.prefix(before).allSatisfy { $0 == .status })
        #expect(bench.wake.changes == [.awake(after: before), .mayFallAsleep(after: bench.ears.requests.count)])
    }

    private struct MissingWake: Error {}

    @Test func `a begin in flight is finished, and its session aborted by its id`() async throws {
        let bench = try Bench()
        let run = try await bench.install { $0 == .phase(.erasing) }
        // Cancelled before `begin` was sent: nothing is open, and nothing was opened.
        #expect(run.verdict == .cancelled)
        #expect(bench.ears.requests.contains(.begin) == false)
    }

    @Test func `while the ears verify, what they decide is waited for`() async throws {
        let bench = try Bench()
        let run = try await bench.install { $0 == .accepted }
        #expect(run.verdict == .selectedNotRestarted)
        #expect(run.result.readings.milestone == .sent)
        #expect(bench.ears.requests.contains(.restart) == false)
    }

    @Test func `from selected on it undoes nothing`() async throws {
        let bench = try Bench()
        let run = try await bench.install { $0.name == "selected" }
        #expect(run.verdict == .selectedNotRestarted)
        #expect(run.events.last == .cancelling(.selected))
        #expect(bench.ears.requests.contains(.restart) == false)
        #expect(bench.ears.requests.contains(.abort) == false)
    }

    @Test func `before the restart is sent it is selected, not restarted`() async throws {
        let bench = try Bench()
        let run = try await bench.install { $0 == .phase(.restarting) }
        #expect(run.verdict == .selectedNotRestarted)
        #expect(bench.ears.requests.contains(.restart) == false)
    }

    @Test func `once the restart was sent, ears that answer as before may be about to follow it`() async throws {
        let bench = try Bench([.restartIgnored])
        let run = try await bench.install(cancellingAt: .restart)
        #expect(run.verdict == .unknown(.restartPending))
        #expect(run.result.readings.milestone == .restarting)
        #expect(bench.ears.requests.suffix(2) == [.restart, .status])
        // Read again until they had the time: they did not follow it.
        #expect(try await bench.situation().verdict == .selectedNotRestarted)
    }

    @Test func `after the restart, with no link, it is said to be selected and not waited for`() async throws {
        let run = try await Bench().install { $0 == .phase(.reconnecting) }
        #expect(run.verdict == .unknown(.notAwaited))
    }

    @Test func `while the new image is watched, the last reading says that it is on trial`() async throws {
        let run = try await Bench().install { $0.name == "booted" }
        #expect(run.verdict == .unknown(.onTrial))
        #expect(run.result.readings.latest?.runningSlot == 1)
        #expect(run.result.readings.milestone == .booted)
    }

    @Test(arguments: [RequestKind.begin, .chunk])
    func `an exchange that is not answered is given up: the ears are read over a new link, and it is cancelled`(
        request: RequestKind
    ) async throws {
        let bench = try Bench([.abandoned(request)])
        let run = try await bench.install(cancellingAt: request)
        #expect(run.verdict == .cancelled)
        #expect(bench.ears.state.withLock { ($0.connects, $0.session) } == (2, 0))
        #expect(run.events.contains { $0.name == "cancelling" })
        // Nobody but this side ended it.
        #expect(!run.events.contains { $0.name == "linkLost" })
    }

    @Test func `a finish that is not answered may have selected the image: only a reading says so`() async throws {
        let bench = try Bench([.abandoned(.finish)])
        let run = try await bench.install(cancellingAt: .finish)
        #expect(run.verdict == .selectedNotRestarted)
        #expect(bench.ears.state.withLock { $0.connects } == 2)
        #expect(!bench.ears.requests.contains(.restart))
    }

    @Test func `a restart that is not answered may have been followed, and is not waited for`() async throws {
        let bench = try Bench([.abandoned(.restart)])
        let run = try await bench.install(cancellingAt: .restart)
        #expect(run.verdict == .unknown(.notAwaited))
        #expect(run.result.readings.milestone == .restarting)
    }

    @Test func `where the ears cannot be read any more it is unknown`() async throws {
        let bench = try Bench()
        let run = try await bench.install { event in
            guard event.name == "progress" else { return false }
            bench.ears.state.withLock { state in
                state.isGone = true
                state.peripheral?.endLink()
            }
            return true
        }
        #expect(run.verdict == .unknown(.noReading))
    }
}

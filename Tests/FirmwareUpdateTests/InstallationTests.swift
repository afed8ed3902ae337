import Bluetooth
import ControlProtocol
import Ears
import Firmware
import FirmwareUpdate
import Synchronization
import TestSupport
import Testing

@Suite struct `Installing` {
    @Test func `the whole way ends in confirmed`() async throws {
        let bench = try Bench()
        let run = try await bench.install()
        #expect(run.verdict == .confirmed)
        #expect(run.result.attempt.verdict == .confirmed)
        let names = run.course.map(\.name)
        #expect(
            names == [
                "erasing", "sending", "exchange", "sent", "verifying", "accepted", "selected", "restarting",
                "reconnecting", "watching", "booted",
            ])
        #expect(bench.ears.state.withLock { $0.received } == [])
        #expect(bench.ears.state.withLock { $0.connects } == 2)
        #expect(run.result.readings.latest?.running?.digest == bench.image.imageDigest)
    }

    @Test func `the link that was made after the restart is let go`() async throws {
        let bench = try Bench()
        #expect(try await bench.install().verdict == .confirmed)
        #expect(bench.ears.state.withLock { $0.peripheral?.isLinkUp } == false)
    }

    @Test func `progress grows to the last byte`() async throws {
        let bench = try Bench()
        let bytes = try await bench.install().events.compactMap { event -> Int? in
            guard case .progress(let bytes, let total) = event else { return nil }
            #expect(total == bench.image.size)
            return bytes
        }
        #expect(bytes == bytes.sorted())
        #expect(Set(bytes).count == bytes.count)
        #expect(bytes.last == bench.image.size)
    }

    @Test(arguments: [23, 64, 185, 247, 517])
    func `it works at every MTU`(mtu: Int) async throws {
        #expect(try await Bench(mtu: mtu).install().verdict == .confirmed)
    }

    @Test func `confirmed takes two looks at least five seconds apart`() async throws {
        let run = try await Bench().install()
        let first = try #require(run.result.readings.firstValid)
        #expect(first.age >= .seconds(5))
        #expect(first.reading.bootCount == run.result.readings.latest?.bootCount)
    }

    // MARK: The link

    @Test(arguments: [0, 50, 99])
    func `link dropped in the upload: the old firmware runs, read since`(percent: Int) async throws {
        let bench = try Bench([.linkDrops(atPercent: percent)])
        let run = try await bench.install()
        #expect(run.verdict == .linkLostOldFirmwareRuns(.link))
        #expect(run.result.readings.latest?.running?.digest == FakeUpdateEars.oldDigest)
        #expect(bench.ears.state.withLock { $0.connects } == 2)
        #expect(bench.ears.requests.filter { $0 == .begin }.count == 1)
    }

    @Test func `the link is lost for good: the outcome is unknown until a fresh read settles it`() async throws {
        let bench = try Bench([.linkDrops(atPercent: 50)])
        let run = try await bench.install { event in
            if case .progress = event { bench.ears.state.withLock { $0.isGone = true } }
            return false
        }
        #expect(run.verdict == .unknown(.noReading))
        bench.ears.state.withLock { $0.isGone = false }
        let situation = try await bench.situation()
        #expect(situation.verdict == .linkLostOldFirmwareRuns(.attemptDied))
        #expect(try bench.log.contents().attempts.map(\.verdict) == [.linkLostOldFirmwareRuns])
    }

    /// The session dies with its link, so what was being verified is not selected any more.
    @Test func `the reply to finish lost with the link: what is read since is the verdict`() async throws {
        let bench = try Bench([.replyLost(.finish)])
        #expect(try await bench.install().verdict == .linkLostOldFirmwareRuns(.link))
        #expect(bench.ears.requests.filter { $0 == .finish }.count == 1)
    }

    @Test func `the link ends after the slot was selected: that is read, and the way goes on`() async throws {
        let bench = try Bench([.linkEndsOnceSelected])
        let run = try await bench.install()
        #expect(run.course.map(\.name).filter { ["linkLost", "selected"].contains($0) } == ["linkLost", "selected"])
        #expect(run.verdict == .confirmed)
        #expect(bench.ears.requests.filter { $0 == .restart }.count == 1)
    }

    @Test(arguments: [RequestKind.begin, .chunk, .finish])
    func `a reply that cannot be read is settled by the status, and nothing is sent twice`(
        kind: RequestKind
    ) async throws {
        let bench = try Bench([.replyUnreadable(kind)])
        #expect(try await bench.install().verdict == .confirmed)
        #expect(bench.ears.requests.filter { $0 == .begin }.count == 1)
        #expect(bench.ears.requests.filter { $0 == .finish }.count == 1)
    }

    @Test(arguments: [RequestKind.begin, .chunk, .finish])
    func `a request that never reached the ears is sent once more, when the status says so`(
        kind: RequestKind
    ) async throws {
        let bench = try Bench([.requestLost(kind)])
        #expect(try await bench.install().verdict == .confirmed)
    }

    @Test func `replies that come a chunk late are noticed, and no read overlaps its write any more`() async throws {
        let bench = try Bench([.readsFirst])
        #expect(try await bench.install().verdict == .confirmed)
        let faultless = try Bench()
        #expect(try await faultless.install().verdict == .confirmed)
        let chunks = [bench, faultless].map { $0.ears.requests.count { $0 == .chunk } }
        #expect(chunks[0] == chunks[1] + 1)
    }

    @Test func `an exchange that fails twice with the link up is not called a lost link`() async throws {
        let bench = try Bench([.refusesBegin])
        #expect(try await bench.install().verdict == .linkLostOldFirmwareRuns(.exchange))
        #expect(bench.ears.state.withLock { $0.connects } == 1)
    }

    @Test func `silence until the deadline ends the link, and the ears are read over a new one`() async throws {
        let bench = try Bench([.silent(.chunk)])
        let run = try await bench.install()
        #expect(run.verdict == .linkLostOldFirmwareRuns(.link))
        #expect(bench.ears.state.withLock { ($0.connects, $0.session) } == (2, 0))
    }

    // MARK: What the ears say

    @Test(arguments: [
        (RequestKind.begin, UpdateRefusal.batteryLow), (.begin, .trialPending), (.begin, .tooLarge),
        (.begin, .sessionOpen), (.chunk, .flashError), (.finish, .incomplete),
    ])
    func `a refusal is a verdict, with the ears' own error`(kind: RequestKind, refusal: UpdateRefusal) async throws {
        let bench = try Bench([.refuses(kind, refusal, deviceError: 0x1506)])
        let run = try await bench.install()
        #expect(run.verdict == .refused(EarsRefusal(refusal: refusal, deviceError: 0x1506)))
        #expect(bench.ears.state.withLock { $0.session } == 0)
    }

    @Test func `an image that the ears refuse is refused, and the old firmware runs`() async throws {
        let bench = try Bench([.imageRefused])
        let run = try await bench.install()
        #expect(run.verdict == .refused(EarsRefusal(refusal: .imageInvalid, deviceError: 0x1503)))
        #expect(run.result.readings.latest?.runningSlot == 0)
    }

    @Test func `an erase that does not end is given up at its deadline, and the session with it`() async throws {
        let bench = try Bench([.eraseNeverEnds])
        #expect(try await bench.install().verdict == .linkLostOldFirmwareRuns(.deadline(.erasing)))
        #expect(bench.ears.requests.last == .status)
        #expect(bench.ears.state.withLock { $0.session } == 0)
    }

    @Test func `a check that does not end leaves the outcome unknown: the ears may still select`() async throws {
        #expect(try await Bench([.verifyNeverEnds]).install().verdict == .unknown(.stillVerifying))
    }

    @Test func `busy ears are waited for`() async throws {
        #expect(try await Bench([.busy(times: 2)]).install().verdict == .confirmed)
    }

    @Test func `ears that stay busy are given up when nothing moves any more`() async throws {
        let bench = try Bench([.busy(times: 1000)])
        #expect(try await bench.install().verdict == .linkLostOldFirmwareRuns(.deadline(.sending)))
    }

    @Test func `ears that acknowledge more than was sent are not believed`() async throws {
        #expect(try await Bench([.asksAhead], mtu: 64).install().verdict == .unknown(.contradiction))
    }

    @Test func `ears that go back again and again are given up when nothing moves any more`() async throws {
        let bench = try Bench([.goesBack], mtu: 64)
        #expect(try await bench.install().verdict == .linkLostOldFirmwareRuns(.deadline(.sending)))
    }

    @Test func `ears that forget the session have the old firmware`() async throws {
        #expect(try await Bench([.sessionForgotten]).install().verdict == .linkLostOldFirmwareRuns(.sessionLost))
    }

    @Test func `ears that say selected and select nothing are not believed`() async throws {
        let run = try await Bench([.selectsNothing]).install()
        #expect(run.verdict == .unknown(.contradiction))
        #expect(run.course.map(\.name).contains("selected") == false)
    }

    @Test func `a session that an earlier command left open is aborted by its id, and the upload begins at 0`()
        async throws
    {
        let bench = try Bench()
        bench.ears.state.withLock {
            ($0.session, $0.update, $0.size) = (17, .receiving, 9)
            ($0.sha256, $0.received) = ([UInt8](repeating: 1, count: 32), [1, 2, 3])
        }
        let run = try await bench.install()
        #expect(run.verdict == .confirmed)
        #expect(run.events.first == .oldSessionAborted(session: 17))
        #expect(bench.ears.requests.prefix(3) == [.status, .abort, .begin])
    }

    // MARK: After selected

    @Test func `a restart whose reply is lost is settled by the boot count`() async throws {
        let bench = try Bench([.replyLost(.restart)])
        #expect(try await bench.install().verdict == .confirmed)
        #expect(bench.ears.requests.filter { $0 == .restart }.count == 1)
    }

    @Test func `the reply to the restart is lost and they still answer as before: their restart is waited for`()
        async throws
    {
        let bench = try Bench([.restartsLate])
        let run = try await bench.install()
        #expect(run.verdict == .confirmed)
        #expect(bench.ears.requests.filter { $0 == .restart }.count == 1)
    }

    @Test func `ears that acknowledge the restart and stay up are selected, not restarted`() async throws {
        #expect(try await Bench([.restartIgnored]).install().verdict == .selectedNotRestarted)
    }

    @Test func `ears that refuse the restart are selected, not restarted`() async throws {
        let bench = try Bench([.refuses(.restart, .busy, deviceError: 0)])
        #expect(try await bench.install().verdict == .selectedNotRestarted)
    }

    @Test func `ears that do not come back leave the outcome unknown`() async throws {
        let bench = try Bench([.neverComesBack])
        #expect(try await bench.install().verdict == .unknown(.noReading))
        #expect(try bench.log.unsettled(on: bench.ears.address.description)?.milestone == .restarting)
    }

    @Test(arguments: [EarsFault.bootFails, .crashesOnTrial])
    func `a new image that does not stay up is rolled back`(fault: EarsFault) async throws {
        let run = try await Bench([fault]).install()
        #expect(run.verdict == .rolledBack)
        #expect(run.result.readings.latest?.slot(1)?.otaState == .aborted)
    }

    @Test func `a new image that never confirms is not confirmed at the deadline`() async throws {
        let bench = try Bench([.neverConfirms])
        #expect(try await bench.install().verdict == .notConfirmed(.stillOnTrial))
        #expect(bench.clock.now.offset > PhaseDeadlines().watching)
    }

    @Test func `ears built without rollback are not confirmed`() async throws {
        #expect(try await Bench([.noRollback]).install().verdict == .notConfirmed(.noRollback))
    }

    @Test func `a boot count that changes between two looks starts the watch anew`() async throws {
        let run = try await Bench([.restless(times: 2)]).install()
        #expect(run.verdict == .confirmed)
        #expect(run.course.map(\.name).filter { $0 == "restartedAgain" }.count == 2)
    }

    @Test func `ears that go on restarting are not confirmed`() async throws {
        #expect(try await Bench([.restless(times: 100_000)]).install().verdict == .notConfirmed(.restless))
    }

    @Test func `a link lost while the new image is watched is made again once`() async throws {
        let bench = try Bench([.linkDropsOnTrial])
        #expect(try await bench.install().verdict == .confirmed)
        #expect(bench.ears.state.withLock { $0.connects } == 3)
    }
}

extension InstallationEvent {
    /// Without what it carries.
    var name: String {
        switch self {
        case .oldSessionAborted: "oldSessionAborted"
        case .phase(let phase): phase.rawValue
        case .uploadForm(let form): form.rawValue
        case .progress: "progress"
        case .sent: "sent"
        case .accepted: "accepted"
        case .selected: "selected"
        case .booted: "booted"
        case .restartedAgain: "restartedAgain"
        case .linkLost: "linkLost"
        case .cancelling: "cancelling"
        case .recordFailed: "recordFailed"
        }
    }
}

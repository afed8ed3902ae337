import Bluetooth
import ControlProtocol
import Ears
import Firmware
import FirmwareUpdate
import Foundation
import Synchronization
import TestSupport
import Testing

@Suite struct `The record of attempts` {
    private let folder: TemporaryFolder
    private let log: AttemptLog

    init() throws {
        folder = try TemporaryFolder()
        log = AttemptLog(stateFolder: folder.path)
    }

    /// - Parameter clock: seconds by which the wall clock is off.
    private func attempt(_ number: Int, verdict: VerdictName? = nil, clock: Int = 0) throws -> Attempt {
        let start = Date(timeIntervalSince1970: 1_800_000_000 + Double(number + clock))
        let reading = FirmwareReading(
            runningSlot: 0, selectedSlot: 1,
            slots: [
                .init(index: 0, digest: [1, 0xAB], version: "1.4.0", otaState: .valid),
                .init(index: 1, digest: [], version: "", otaState: .unknown(9)),
            ], bootCount: 3)
        var attempt = Attempt(
            id: Attempt.newID(at: start, random: UInt32(number)), sequence: number, startedAt: start,
            device: try #require(BluetoothAddress("F0:00:00:00:00:01")), adapter: try #require(AdapterName("hci0")),
            family: "s3", source: .catalogue, fromVersion: "1.4.0", size: 9,
            target: UpdateTarget(slot: 1, imageDigest: [2], fileSHA256: [3], version: "1.5.0"), before: reading)
        attempt.selection = reading
        attempt.milestone = .selected
        attempt.verdict = verdict
        return attempt
    }

    private var attempts: String { "\(folder.path)/attempts" }

    @Test func `what is written is read`() throws {
        let attempt = try attempt(1)
        #expect(attempt.id == "20270115T080001Z-00000001")
        try log.write(attempt)
        #expect(try log.contents() == AttemptLog.Contents(attempts: [attempt], damaged: []))
        #expect(try log.unsettled(on: "F0:00:00:00:00:01") == attempt)
        #expect(try log.unsettled(on: "F0:00:00:00:00:02") == nil)
    }

    @Test func `a missing folder holds no attempts`() throws {
        #expect(try log.contents() == AttemptLog.Contents(attempts: [], damaged: []))
    }

    @Test func `only the last attempt on the ears is settled, and only if it has to be`() throws {
        try log.write(try attempt(1))
        try log.write(try attempt(2, verdict: .confirmed))
        #expect(try log.unsettled(on: "F0:00:00:00:00:01") == nil)
        try log.write(try attempt(3, verdict: .unknown))
        #expect(try log.unsettled(on: "F0:00:00:00:00:01")?.verdict == .unknown)
    }

    @Test func `a clock that went back does not make an older attempt the last one`() throws {
        try log.write(try attempt(1, verdict: .unknown))
        try log.write(try attempt(2, verdict: .confirmed, clock: -1_000_000))
        #expect(try log.unsettled(on: "F0:00:00:00:00:01") == nil)
        #expect(try log.contents().attempts.map(\.sequence) == [1, 2])
    }

    @Test func `once other firmware was read, no later reading settles it`() throws {
        var attempt = try attempt(1, verdict: .unknown)
        #expect(attempt.isUnsettled)
        attempt.latest = attempt.before
        #expect(attempt.isUnsettled)
        attempt.latest?.slots[0].digest = [7]
        #expect(!attempt.isUnsettled)
    }

    @Test func `damaged records are named, and hide no other`() throws {
        let good = try attempt(1)
        try log.write(good)
        let whole = try String(contentsOfFile: "\(attempts)/\(good.id).json", encoding: .utf8)
        for (name, text) in [
            ("2.json", ""), ("3.json", String(whole.dropLast(20))), ("4.json", whole),
            ("5.json", String(repeating: " ", count: AttemptLog.maximumBytes + 1)),
        ] {
            try folder.write(text, to: "attempts/\(name)")
        }
        try FileManager.default.createDirectory(atPath: "\(attempts)/6.json", withIntermediateDirectories: false)
        #expect(
            try log.contents()
                == AttemptLog.Contents(attempts: [good], damaged: ["2.json", "3.json", "4.json", "5.json", "6.json"]))
    }

    @Test func `mutated records are read as an attempt or named as damaged`() throws {
        let good = try attempt(1)
        try log.write(good)
        let file = URL(fileURLWithPath: "\(attempts)/\(good.id).json")
        let whole = try [UInt8](Data(contentsOf: file))
        var random = SeededRandom(seed: 21)
        var outcomes: Set<Int> = []
        for _ in 0..<200 {
            var bytes = whole
            for _ in 0..<Int.random(in: 1...3, using: &random) { bytes.mutate(using: &random) }
            try Data(bytes).write(to: file)
            let contents = try log.contents()
            #expect(contents.attempts.count + contents.damaged.count == 1)
            outcomes.insert(contents.damaged.count)
        }
        #expect(outcomes == [0, 1])
    }

    @Test func `the oldest settled attempts make room, unsettled ones stay`() throws {
        let log = AttemptLog(stateFolder: folder.path, keeping: 3)
        let written = try (0...5).map { try attempt($0, verdict: $0 == 1 ? nil : .confirmed) }
        for attempt in written { try log.write(attempt) }
        #expect(try log.contents().attempts.map(\.id) == [1, 3, 4, 5].map { written[$0].id })
    }

    @Test func `a folder that cannot be made is named`() throws {
        try folder.write("", to: "attempts")
        #expect(throws: AttemptLogError.notWritten(path: attempts, errno: ENOTDIR)) { try log.write(try attempt(1)) }
    }
}

@Suite struct `An attempt that died` {
    private struct Remains {
        var attempt: Attempt
        var ears: FakeUpdateEars.State
    }

    /// What SIGKILL leaves: the record as it was, and the ears where they were.
    private func killed(
        at event: String, _ faults: Set<EarsFault> = [], then change: (Bench) -> Void = { _ in }
    ) async throws -> Bench {
        let bench = try Bench(faults)
        let record = Mutex<Remains?>(nil)
        _ = try await bench.install { happened in
            record.withLock { record in
                if record != nil { return }
                guard happened.name == event else { return }
                guard let attempt = try? bench.log.contents().attempts.last else { return }
                record = Remains(attempt: attempt, ears: bench.ears.state.withLock { $0 })
            }
            return false
        }
        let found = record.withLock { $0 }
        let remains = try #require(found)
        try bench.log.write(remains.attempt)
        // The ears stand where they stood, and time with them.
        bench.ears.state.withLock {
            $0 = remains.ears
            $0.since = bench.clock.now.offset
        }
        change(bench)
        return bench
    }

    @Test(arguments: ["erasing", "sending", "progress", "sent"])
    func `in the upload: the old firmware runs`(event: String) async throws {
        let bench = try await killed(at: event) { $0.ears.state.withLock { $0.linkEnded() } }
        #expect(try await bench.situation().verdict == .linkLostOldFirmwareRuns(.attemptDied))
        #expect(try bench.log.unsettled(on: bench.ears.address.description) == nil)
    }

    @Test func `in the upload, and BlueZ keeps the link: install again aborts the old session`() async throws {
        let bench = try await killed(at: "progress")
        let run = try await bench.install()
        #expect(run.events.first?.name == "oldSessionAborted")
        #expect(run.verdict == .confirmed)
        #expect(try bench.log.contents().attempts.last?.verdict == .confirmed)
    }

    @Test func `a new attempt settles the one before by a last reading, and decides alone from then on`() async throws {
        let bench = try await killed(at: "progress") { $0.ears.state.withLock { $0.linkEnded() } }
        #expect(try await bench.install { $0.name == "sent" }.verdict == .cancelled)
        let attempts = try bench.log.contents().attempts
        #expect(attempts.map(\.verdict) == [.linkLostOldFirmwareRuns, .cancelled])
        #expect(attempts.map(\.supersededBy) == [attempts[1].id, nil])
        #expect(attempts.map(\.sequence) == [1, 2])
        #expect(try await bench.situation().attempt == nil)
    }

    @Test func `after selected: selected, not restarted`() async throws {
        let bench = try await killed(at: "selected")
        #expect(try await bench.situation().verdict == .selectedNotRestarted)
    }

    @Test(
        arguments: [
            ([], true, ["watching", "booted"]), ([], false, ["booted"]), ([.noRollback], true, ["booted"]),
        ] as [(Set<EarsFault>, Bool, [String])])
    func `on trial: what is waited for is told before the wait`(
        faults: Set<EarsFault>, waiting: Bool, told: [String]
    ) async throws {
        let bench = try await killed(at: "booted", faults)
        let events = Mutex<[String]>([])
        _ = try await bench.situation(waiting: waiting) { event in events.withLock { $0.append(event.name) } }
        #expect(events.withLock(\.self) == told)
    }

    @Test func `on trial: one look leaves it unknown, waiting confirms it`() async throws {
        let bench = try await killed(at: "booted")
        let looked = try await bench.situation().verdict
        #expect(looked == .unknown(.onTrial))
        let waited = try await bench.situation(waiting: true).verdict
        #expect(waited == .confirmed)
        #expect(try await bench.situation().attempt == nil)
    }

    @Test func `already VALID: two looks confirm it without waiting`() async throws {
        let bench = try await killed(at: "booted") { $0.clock.pass(FakeUpdateEars.trialTime) }
        #expect(try await bench.situation().verdict == .confirmed)
    }

    @Test func `rolled back meanwhile`() async throws {
        let bench = try await killed(at: "booted") {
            $0.ears.state.withLock { _ = $0.faults.insert(.crashesOnTrial) }
        }
        #expect(try await bench.situation().verdict == .rolledBack)
    }

    @Test func `not confirmed, and confirmed by a later look`() async throws {
        let bench = try await killed(at: "booted", [.neverConfirms])
        let first = try await bench.situation(waiting: true).verdict
        #expect(first == .notConfirmed(.stillOnTrial))
        bench.ears.state.withLock { _ = $0.faults.remove(.neverConfirms) }
        let later = try await bench.situation().verdict
        #expect(later == .confirmed)
    }

    @Test func `still on trial at the end of a wait`() async throws {
        let bench = try await killed(at: "booted", [.neverConfirms])
        #expect(try await bench.situation(waiting: true).verdict == .notConfirmed(.stillOnTrial))
    }
}

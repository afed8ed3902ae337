import Bluetooth
import FirmwareUpdate
import Foundation
import TestSupport
import Testing

@Suite struct `Which pair goes next on which adapter` {
    private let zero = AdapterName("hci0")!
    private let one = AdapterName("hci1")!

    /// What each adapter takes, by turns, until neither gets another.
    private func taken(_ pairs: [[AdapterName]]) -> (zero: [Int], one: [Int], remaining: [Int]) {
        var schedule = BenchSchedule(pairs)
        var (onZero, onOne): ([Int], [Int]) = ([], [])
        var isOver = false
        while !isOver {
            let (first, second) = (schedule.next(on: zero), schedule.next(on: one))
            onZero += [first].compactMap(\.self)
            onOne += [second].compactMap(\.self)
            isOver = first == nil && second == nil
        }
        return (onZero, onOne, schedule.remaining)
    }

    @Test func `each goes over its own adapter, in the order in which they were given`() {
        let taken = taken([[zero], [one], [zero], [one], [zero]])
        #expect(taken.zero == [0, 2, 4])
        #expect(taken.one == [1, 3])
        #expect(taken.remaining == [])
    }

    @Test func `a pair that two adapters reach goes once, over one that has nothing of its own left`() {
        let taken = taken([[zero, one], [zero], [zero, one], [one], [zero]])
        #expect(taken.zero == [1, 4, 2])
        #expect(taken.one == [3, 0])
    }

    @Test func `a pair that no adapter reaches is never begun, and remains`() {
        let taken = taken([[], [zero]])
        #expect(taken.zero == [1])
        #expect(taken.remaining == [0])
    }

    @Test func `what was not taken remains in its order`() {
        var schedule = BenchSchedule([[zero, one], [zero], [one]])
        #expect(schedule.next(on: zero) == 1)
        #expect(schedule.remaining == [0, 2])
    }
}

@Suite struct `The record of the last bench` {
    private let folder: TemporaryFolder
    private let log: BenchLog

    init() throws {
        folder = try TemporaryFolder()
        log = BenchLog(stateFolder: folder.path + "/state", runtimeFolder: folder.path + "/runtime")
    }

    private func run(_ wanted: BenchRun.Wanted = .newest) -> BenchRun {
        var pairs = ["F0:00:00:00:00:01", "F0:00:00:00:00:02", "F0:00:00:00:00:03"].map {
            BenchRun.Pair(device: $0, label: "ears (\($0))")
        }
        pairs[0].verdict = "confirmed"
        pairs[0].status = 0
        pairs[1].verdict = "unknown"
        pairs[1].status = 42
        return BenchRun(startedAt: Date(timeIntervalSince1970: 1_800_000_000), wanted: wanted, pairs: pairs)
    }

    @Test(arguments: [BenchRun.Wanted.newest, .version(number: "1.5.0"), .file(path: "/tmp/a.bin", sha256: [1, 2])])
    func `it is read as it was written`(wanted: BenchRun.Wanted) throws {
        let hold = try log.hold()
        try log.write(run(wanted))
        #expect(try log.last() == run(wanted))
        withExtendedLifetime(hold) {}
    }

    @Test func `what failed and what never ended are to be retried`() {
        #expect(run().failures.map(\.device) == ["F0:00:00:00:00:02", "F0:00:00:00:00:03"])
    }

    @Test func `where there was no run there is no record`() throws { #expect(try log.last() == nil) }

    @Test(arguments: [#"{"#, #"{"schema":"espurr.bench/2","run":{}}"#, ""])
    func `what is no record is refused, and not taken for a run without failures`(text: String) throws {
        try FileManager.default.createDirectory(atPath: folder.path + "/state", withIntermediateDirectories: true)
        let path = try folder.write(text, to: "state/bench.json")
        #expect(throws: BenchLogError.damaged(path: path)) { try log.last() }
    }

    @Test func `one bench at a time: the second is told who has it, and gets it once the first let go`() throws {
        var hold: BenchLog.Hold? = try log.hold()
        #expect(throws: BenchLogError.underWay(process: getpid())) { try log.hold() }
        withExtendedLifetime(hold) {}
        hold = nil
        _ = try log.hold()
    }

    @Test func `the lock lies with the locks, in a folder of the user's own, and not beside the record`() throws {
        let hold = try log.hold()
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path + "/runtime") == ["bench.lock"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path + "/state") == [])
        let attributes = try FileManager.default.attributesOfItem(atPath: folder.path + "/runtime")
        #expect(attributes[.posixPermissions] as? Int == 0o700)
        withExtendedLifetime(hold) {}
    }

    @Test func `a record that cannot be written says where, and why`() throws {
        _ = try log.hold()
        let path = folder.path + "/state/bench.json"
        try FileManager.default.createDirectory(atPath: path + "/x", withIntermediateDirectories: true)
        #expect(throws: BenchLogError.notWritten(path: path, errno: EISDIR)) { try log.write(run()) }
    }
}

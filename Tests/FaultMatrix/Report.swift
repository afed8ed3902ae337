import FirmwareUpdate
import Simulator

/// What came of all cases, counted.
struct Report: Codable {
    private struct Row: Hashable, Comparable, Codable {
        let fault: String
        let stretch: String

        static func < (one: Row, other: Row) -> Bool { (one.fault, one.stretch) < (other.fault, other.stretch) }
    }

    private struct Counts: Codable {
        var single = 0
        var pairs = 0
        var notStruck = 0
        var findings = 0
    }

    private var rows: [Row: [String: Int]] = [:]
    private var counts = Counts()
    private var settled: [String: Int] = [:]

    var isClean: Bool { counts.findings == 0 && counts.single > 0 }

    /// Takes up what came of other cases.
    mutating func add(_ other: Report) {
        for (row, said) in other.rows { rows[row, default: [:]].merge(said, uniquingKeysWith: +) }
        settled.merge(other.settled, uniquingKeysWith: +)
        counts.single += other.counts.single
        counts.pairs += other.counts.pairs
        counts.notStruck += other.counts.notStruck
        counts.findings += other.counts.findings
    }

    static func note(_ trace: Trace, _ kind: EarsKind) {
        let boots = trace.steps.filter { if case .boot = $0.place { true } else { false } }.count
        print(
            "\(kind): \(trace.steps.count - boots) exchanges and connections, \(trace.flashOperations)"
                + " operations of flash, \(boots) boot steps")
    }

    mutating func note(_ result: CaseResult, _ kind: EarsKind) {
        for finding in result.findings {
            counts.findings += 1
            let faults = result.injections.map(\.description).joined(separator: ", then ")
            print("WRONG (\(kind)) \(faults): \(finding.text); \(result.course)")
        }
        if !result.struckAll { counts.notStruck += 1 }
        guard result.injections.count == 1, let injection = result.injections.first else {
            counts.pairs += 1
            return
        }
        counts.single += 1
        let fault = if case .exchange = injection.place { injection.fault.rawValue } else { "power lost" }
        let row = Row(fault: fault, stretch: injection.place.stretch)
        for outcome in result.outcomes { rows[row, default: [:]][outcome.name, default: 0] += 1 }
        if let outcome = result.settled { settled[outcome.name, default: 0] += 1 }
    }

    func printTable() {
        print("")
        print("| fault | at | what the command said |")
        print("|---|---|---|")
        for row in rows.keys.sorted() {
            let said = (rows[row] ?? [:]).sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
            print("| \(row.fault) | \(row.stretch) | \(said.joined(separator: ", ")) |")
        }
        print("")
        print(
            "settled afterwards: "
                + settled.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", "))
        print(
            "\(counts.single) single faults, \(counts.pairs) pairs (\(counts.notStruck) cases in which a fault did not find"
                + " its place any more), \(counts.findings) wrong")
    }
}

extension CaseResult {
    /// What each command said, in their order.
    fileprivate var course: String {
        let all =
            outcomes.map { "\($0)" } + [
                settled.map { "settled: \($0)" } ?? "nothing to settle", last.map { "\($0)" } ?? "",
            ]
        return all.joined(separator: " | ")
    }
}

extension Outcome {
    var name: String {
        switch self {
        case .verdict(let verdict, _): verdict.name.rawValue
        case .notBegun: "not begun"
        case .died: "killed"
        case .hangs: "hangs"
        case .nothing: "nothing"
        }
    }
}

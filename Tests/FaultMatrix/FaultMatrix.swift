import EarsInVirtualTime
import Foundation
import Glibc
import Simulator

/// Lets every fault strike every step of an installation, and says what came of it.
///
/// - `--every N`: one single fault in N; `--pairs N`: one pair of faults in N, 0: none; `--part K/N`: the K-th of N parts
///   of the cases; `--case TEXT`: those whose description holds the text; `--jobs N`: N parts beside each other, in
///   processes of their own; `--tally`: the counts as JSON, for whoever adds parts up.
@main
struct FaultMatrix {
    static func main() {
        guard let selection = Selection(CommandLine.arguments.dropFirst()) else {
            print("usage: espurr-fault-matrix [--every N] [--pairs N] [--part K/N | --jobs N] [--case TEXT] [--tally]")
            exit(2)
        }
        let report: Report
        if selection.jobs > 1 {
            guard let sum = Jobs.run(selection.jobs, CommandLine.arguments.dropFirst()) else { exit(1) }
            report = sum
        } else {
            report = run(selection)
        }
        if selection.isTally { report.printTally() } else { report.printTable() }
        exit(report.isClean ? 0 : 1)
    }

    private static func run(_ selection: Selection) -> Report {
        TaskQueue.takeOver()
        let folder =
            "\(FileManager.default.fileExists(atPath: "/dev/shm") ? "/dev/shm" : "/tmp")/fault-matrix-\(getpid())"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var report = Report()
        for kind in EarsKind.all {
            let trace = Trace(kind: kind, folder: folder)
            if selection.part.index == 0 { Report.note(trace, kind) }
            for injections in selection.cases(of: trace) {
                report.note(CaseResult(injections, kind: kind, folder: folder), kind)
            }
        }
        return report
    }
}

/// Which of the cases are run.
struct Selection {
    /// One in so many.
    private var every = 1
    private var everyPair = 1
    private(set) var part = (index: 0, of: 1)
    private var text: String?
    private(set) var jobs = 1
    private(set) var isTally = false

    init?(_ arguments: ArraySlice<String>) {
        var rest = arguments
        while let option = rest.popFirst() {
            if option == "--tally" { isTally = true; continue }
            guard let value = rest.popFirst() else { return nil }
            switch option {
            case "--jobs": guard let number = Int(value), (1...64).contains(number) else { return nil }; jobs = number
            case "--every": guard let number = Int(value), number > 0 else { return nil }; every = number
            case "--pairs": guard let number = Int(value), number >= 0 else { return nil }; everyPair = number
            case "--case": text = value
            case "--part":
                let numbers = value.split(separator: "/").compactMap { Int($0) }
                guard numbers.count == 2, (1...numbers[1]).contains(numbers[0]) else { return nil }
                part = (numbers[0] - 1, numbers[1])
            default: return nil
            }
        }
    }

    func cases(of trace: Trace) -> [[Injection]] {
        var cases = trace.injections.map { [$0] }.enumerated().filter { $0.offset % every == 0 }.map(\.element)
        if everyPair > 0 { cases += pairs(of: trace).enumerated().filter { $0.offset % everyPair == 0 }.map(\.element) }
        if let text { cases.removeAll { !"\($0)".contains(text) } }
        return cases.enumerated().filter { $0.offset % part.of == part.index }.map(\.element)
    }

    private func pairs(of trace: Trace) -> [[Injection]] {
        let chosen = trace.representatives
        return chosen.flatMap { first in
            chosen.filter { $0.place.stretch != first.place.stretch }.map { [first, $0] }
        }
    }
}

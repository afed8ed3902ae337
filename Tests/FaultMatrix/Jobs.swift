import Foundation

/// Parts of the cases in processes of their own: within one, all tasks run on one queue.
enum Jobs {
    /// What came of all parts; nil where one ended without saying so.
    static func run(_ count: Int, _ arguments: ArraySlice<String>) -> Report? {
        let others = withoutJobs(Array(arguments))
        let parts = (1...count).map { number in
            Part(others + ["--part", "\(number)/\(count)", "--tally"])
        }
        var sum = Report()
        for part in parts {
            guard let report = part?.report() else { return nil }
            sum.add(report)
        }
        return sum
    }

    private static func withoutJobs(_ arguments: [String]) -> [String] {
        guard let place = arguments.firstIndex(of: "--jobs") else { return arguments }
        return Array(arguments[..<place] + arguments[(place + 2)...])
    }

    private struct Part {
        private let process = Process()
        private let output = Pipe()

        init?(_ arguments: [String]) {
            process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
            process.arguments = arguments
            process.standardOutput = output
            guard (try? process.run()) != nil else { return nil }
        }

        /// Prints what the part said, but for its last line, the tally. A part says little before its end, so that one
        /// pipe after the other can be emptied.
        func report() -> Report? {
            let said = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            process.waitUntilExit()
            var lines = said.split(separator: "\n")
            let tally = lines.popLast()
            for line in lines { print(line) }
            return tally.flatMap { try? JSONDecoder().decode(Report.self, from: Data($0.utf8)) }
        }
    }
}

extension Report {
    func printTally() {
        guard let json = try? JSONEncoder().encode(self) else { return }
        print(String(decoding: json, as: UTF8.self))
    }
}

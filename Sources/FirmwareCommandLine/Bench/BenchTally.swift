import CommandLineTools

/// How many ended how: pure.
struct BenchTally: Hashable, Sendable {
    private(set) var counts: [String: Int] = [:]
    private(set) var failed = 0
    private(set) var total = 0

    mutating func add(_ verdict: String, _ status: ExitStatus) {
        counts[verdict, default: 0] += 1
        total += 1
        if status != .done { failed += 1 }
    }

    /// - Parameter interruption: what stopped the run, where something did: then that counts, unless every pair had
    ///   come to its good end all the same.
    func status(interruption: Interruption.Cause?) -> ExitStatus {
        guard failed > 0 else { return .done }
        return interruption?.status ?? .someFailed
    }

    /// The good ones first, then by their names.
    private var ordered: [(verdict: String, count: Int)] {
        let good = ["confirmed", "up_to_date"]
        let names = good.filter { counts[$0] != nil } + counts.keys.filter { !good.contains($0) }.sorted()
        return names.map { ($0, counts[$0] ?? 0) }
    }

    var json: JSON { .object(ordered.map { ($0.verdict, .integer(Int64($0.count))) }) }

    /// `6 confirmed, 1 rolled back, 1 unknown`
    var inWords: String {
        ordered.map { "\($0.count) \($0.verdict.replacing("_", with: " "))" }.joined(separator: ", ")
    }
}

import CommandLineTools
import FirmwareUpdate

/// How many ended how: pure.
struct BenchTally: Hashable, Sendable {
    /// By their verdicts, as records have them.
    private var verdicts: [String: Int] = [:]
    /// As people are told: an installation that was never begun and one that the ears refused share a verdict.
    private var words: [String: Int] = [:]
    private(set) var failed = 0
    private(set) var total = 0

    /// - Parameter words: what the pair's own line says of its verdict.
    mutating func add(_ verdict: String, _ words: String, _ status: ExitStatus) {
        verdicts[verdict, default: 0] += 1
        self.words[words, default: 0] += 1
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
    private func ordered(_ counts: [String: Int], good: [String]) -> [(name: String, count: Int)] {
        let names = good.filter { counts[$0] != nil } + counts.keys.filter { !good.contains($0) }.sorted()
        return names.map { ($0, counts[$0] ?? 0) }
    }

    var json: JSON {
        .object(ordered(verdicts, good: ["confirmed", "up_to_date"]).map { ($0.name, .integer(Int64($0.count))) })
    }

    /// `6 confirmed; 1 link lost, the old firmware runs; 1 rolled back`
    var inWords: String {
        ordered(words, good: [VerdictName.confirmed.inSum, ToldConclusion.upToDateInSum])
            .map { "\($0.count) \($0.name)" }.joined(separator: "; ")
    }
}

public import CommandLineTools
public import Ears

/// The words of `set`: a setting's name and its value, in turn.
public enum SettingPairs {
    /// - Throws: ``ExitStatus/usage`` where a name has no value, or a unit stands where a name should.
    public static func read(
        _ words: [String]
    ) throws(CommandFailure) -> [(name: String, input: SettingInput)] {
        let names = stride(from: 0, to: words.count, by: 2)
        if let unit = names.dropFirst().first(where: { words[$0].isLoneUnit && Int64(words[$0 - 1]) != nil }) {
            throw .usage("“\(words[unit].printable)” is no setting's name", remedy: remedy(words, before: unit))
        }
        guard words.count.isMultiple(of: 2) else {
            let last = words.count - 1
            // Units can be words too: “ms”.
            let isBehindNumber = last >= 2 && Int64(words[last - 1]) != nil
            throw .usage(
                "“\(words.last?.printable ?? "")” has no value",
                remedy: isBehindNumber ? remedy(words, before: last) : nil)
        }
        return names.map { (words[$0], .text(words[$0 + 1])) }
    }

    /// The names, whatever stands or is missing behind them.
    public static func names(among words: [String]) -> [String] {
        stride(from: 0, to: words.count, by: 2).map { words[$0] }
    }

    private static func remedy(_ words: [String], before unit: Int) -> String {
        "a number is written without its unit: espurr-ctl set \(words[unit - 2].printable) \(words[unit - 1])"
    }
}

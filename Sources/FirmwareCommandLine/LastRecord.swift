public import CommandLineTools
import EarsCommandLine

extension InstallationRequest {
    /// The one record of an `install` that ended before there was anything to tell: how it was called was wrong, or this
    /// machine has no place for its records. The same form as where it ends later.
    ///
    /// - Parameter words: as they were typed; they may be what is wrong.
    public static func lastRecord(of failure: CommandFailure, after words: [String]) -> [(String, JSON)] {
        let (event, members) =
            BenchSelection.isMeant(by: words)
            ? ("summary", BenchReporter.members(concluding: failure))
            : ("verdict", InstallationReporter.members(concluding: failure))
        return RecordSequence.head(1, event) + members
    }
}

extension BenchSelection {
    /// Whether several pairs of ears are meant, by words that may be wrong.
    static func isMeant(by words: [String]) -> Bool {
        let options = words.prefix { $0 != "--" }
        let named = options.filter { $0 == EarsOptions.deviceName || $0.hasPrefix(EarsOptions.deviceName + "=") }
        return Self.options.contains { options.contains($0.name) } || named.count > 1
    }
}

public import Bluetooth
public import CommandLineTools
public import EarsCommandLine

/// Several pairs of ears, as `install` was asked for them.
public struct BenchSelection: Hashable, Sendable {
    private static let all = Option("--all", "every pair of ears that is paired with this machine")
    private static let retryFailed = Option(
        "--retry-failed", "the pairs with which the last run on several failed, with what it was to install")

    public static let options = [all, retryFailed]

    public enum Which: Hashable, Sendable {
        case ears(SeveralEars.Selection)
        case failedOfLastRun
    }

    public let which: Which
    /// Empty: every adapter that can be used.
    public let adapters: [AdapterName]

    /// - Returns: nil where one pair of ears is meant.
    public init?(_ arguments: ParsedArguments) throws(CommandFailure) {
        let devices = EarsOptions.devices(arguments)
        adapters = try EarsOptions.adapters(arguments)
        try Self.checkExclusion(arguments, isAnyNamed: !devices.isEmpty)
        if arguments.has(Self.retryFailed) {
            which = .failedOfLastRun
        } else if arguments.has(Self.all) {
            which = .ears(.all)
        } else if devices.count > 1 {
            which = .ears(.named(devices))
        } else {
            guard adapters.count <= 1 else {
                throw .usage(
                    "several adapters are for several pairs of ears", remedy: "--all, or a --device for each pair")
            }
            return nil
        }
    }

    private static func checkExclusion(_ arguments: ParsedArguments, isAnyNamed: Bool) throws(CommandFailure) {
        let given = [all, retryFailed].filter(arguments.has).map(\.name) + (isAnyNamed ? ["--device"] : [])
        guard given.count <= 1 else {
            throw .usage(
                "\(given[0]) and \(given[1]) exclude each other",
                remedy: "one of them: \(all.name) takes every pair, --device the one that it names, "
                    + "\(retryFailed.name) those that failed in the last run")
        }
        guard !arguments.has(retryFailed) || arguments.operands.isEmpty else {
            throw .usage(
                "\(retryFailed.name) takes what the last run was to install, and no VERSION or FILE",
                remedy: "leave it out; \(all.name), or a --device for each pair, takes one")
        }
    }
}

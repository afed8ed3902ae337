import CommandLineTools
import Ears
import EarsCommandLine

/// `recenter`: the way the ears are held now is level.
struct Recenter: Verb {
    static let usage = Usage(
        "recenter", "take the way the ears are held now as level", options: EarsOptions.options,
        details: ["It holds until the ears restart. The calibration stays as it is."])

    let options: EarsOptions

    init(_ arguments: ParsedArguments) throws(CommandFailure) { options = try EarsOptions(arguments) }

    func run(_ invocation: Invocation) async throws(CommandFailure) -> ExitStatus {
        let finder = try EarsFinder(invocation)
        let outcome = try await finder.withSettings(options) { owned throws(CommandFailure) in
            try await finder.settled(owned, options) { session throws(EarsError) in try await session.recentre() }
        }
        return invocation.report(outcome, done: ["recentred"])
    }
}

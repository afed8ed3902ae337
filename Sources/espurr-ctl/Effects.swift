import CommandLineTools
import Ears
import EarsCommandLine

/// `effects`: the effects of these ears.
struct Effects: Verb {
    static let usage = Usage(
        "effects", "list the effects with their parameters", options: EarsOptions.options,
        details: [
            "The one that is chosen is marked. Each effect keeps its parameters. What needs a sensor that these ears "
                + "lack is not listed; --json lists it with the capability."
        ])

    let options: EarsOptions

    init(_ arguments: ParsedArguments) throws(CommandFailure) { options = try EarsOptions(arguments) }

    var isForItsOutput: Bool { true }

    func run(_ invocation: Invocation) async throws(CommandFailure) -> ExitStatus {
        let effects = try await EarsFinder(invocation).withSettings(options) { owned throws(CommandFailure) in
            try await askingEars { () throws(EarsError) in try await owned.session.effects() }
        }
        if invocation.wantsJSON {
            invocation.console.print(JSON.document(invocation.schema, [("effects", .array(effects.map(\.json)))]))
        } else {
            for line in effects.filter({ $0.missingCapability == nil }).flatMap(\.lines) {
                invocation.console.show(line)
            }
        }
        return .done
    }
}

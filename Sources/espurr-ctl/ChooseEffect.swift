import CommandLineTools
import Ears
import EarsCommandLine

/// `effect`: chooses an effect, with parameters in the same change.
struct ChooseEffect: Verb {
    static let usage = Usage(
        "effect", "choose an effect, and set its parameters",
        operands: Operands("NAME [PARAMETER=VALUE…]", 1...32, completes: .remembered(.effect)),
        options: EarsOptions.options,
        details: [
            "Effect and parameters are one change, checked against the ears' own description before anything is sent. "
                + "A parameter that is not named keeps its value. “espurr-ctl effects” lists both."
        ])

    let options: EarsOptions
    let changes: [(name: String, input: SettingInput)]

    init(_ arguments: ParsedArguments) throws(CommandFailure) {
        options = try EarsOptions(arguments)
        let (name, words) = (arguments.operands[0], arguments.operands.dropFirst())
        let parameters: [(String, SettingInput)] =
            words.isEmpty ? [] : [(Setting.name(ofEffect: name), .text(words.joined(separator: " ")))]
        changes = [(Setting.effectName, .text(name))] + parameters
    }

    func run(_ invocation: Invocation) async throws(CommandFailure) -> ExitStatus {
        try await invocation.change(changes, options)
    }
}

extension Invocation {
    /// Changes settings as one change, and says how it ended.
    func change(
        _ changes: [(name: String, input: SettingInput)], _ options: EarsOptions
    ) async throws(CommandFailure) -> ExitStatus {
        let finder = try EarsFinder(self)
        let outcome = try await finder.withSettings(options) { owned throws(CommandFailure) in
            try await finder.settled(owned, options) { session throws(EarsError) in try await session.set(changes) }
        }
        return report(outcome)
    }
}

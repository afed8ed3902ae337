import Bluetooth
import CommandLineTools
import Ears
import EarsCommandLine

/// `pair`: bonds with ears by comparing six digits.
struct Pair: Verb {
    static let usage = Usage(
        "pair", "bond with ears by comparing six digits",
        options: EarsOptions.options + DigitComparison.options,
        details: [
            "The ears print six digits on their serial console and wait for a click of the headset's button, 30 seconds "
                + "at most. The digits have to be the ones shown here: they are compared by the person at the terminal, or "
                + "with those that --passkey-from reads: the first new line that is just six digits, or that holds the word "
                + "“passkey” and six digits behind it.",
            "The ears keep three bonds: a new one may push out the oldest. A bond is proved by a fresh connection and a "
                + "protected read; one that BlueZ made without comparing digits is removed at once.",
        ])

    let options: EarsOptions
    let comparison: DigitComparison

    init(_ arguments: ParsedArguments) throws(CommandFailure) {
        options = try EarsOptions(arguments)
        comparison = try DigitComparison(arguments)
    }

    func run(_ invocation: Invocation) async throws(CommandFailure) -> ExitStatus {
        let finder = try EarsFinder(invocation)
        let dialogue = try PairingDialogue(finder: finder, comparison: comparison, invocation: invocation)
        try await dialogue.pair(try await PairingCandidate.find(options, with: finder))
        return .done
    }
}

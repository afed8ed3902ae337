import Bluetooth
import CommandLineTools
import EarsCommandLine

/// `repair-bond`: forgets and pairs again, in one step.
struct RepairBond: Verb {
    static let usage = Usage(
        "repair-bond", "forget ears whose bond is stale, and pair again",
        options: EarsOptions.options + DigitComparison.options + [.yes],
        details: [
            "For ears that forgot this machine, or that this machine half forgot. What BlueZ cached goes too. Nothing is "
                + "forgotten before the ears are heard."
        ])

    let options: EarsOptions
    let comparison: DigitComparison
    let isConfirmed: Bool

    init(_ arguments: ParsedArguments) throws(CommandFailure) {
        options = try EarsOptions(arguments)
        comparison = try DigitComparison(arguments)
        isConfirmed = arguments.has(.yes)
    }

    func run(_ invocation: Invocation) async throws(CommandFailure) -> ExitStatus {
        let finder = try EarsFinder(invocation)
        let dialogue = try PairingDialogue(finder: finder, comparison: comparison, invocation: invocation)
        let isConfirmed = isConfirmed
        try await BondRepair(finder: finder, dialogue: dialogue).run(options) { sighting throws(CommandFailure) in
            let question = "Forget \(sighting.inWords) and pair again?"
            try await invocation.ask(question, isAnswered: isConfirmed, by: "--yes")
        }
        return .done
    }
}

import Bluetooth
import CommandLineTools
import EarsCommandLine

/// `repair-bond`: forgets and pairs again, in one step.
struct RepairBond: Verb {
    static let usage = Usage(
        "repair-bond", "forget ears whose bond is stale, and pair again",
        options: EarsOptions.options + DigitComparison.options + [.yes],
        details: ["For ears that forgot this machine, or that this machine half forgot. What BlueZ cached goes too."])

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
        let sighting = try await finder.find(options, halfBonds: true, remembers: false)
        let question = "Forget \(sighting.inWords) and pair again?"
        try await invocation.ask(question, isAnswered: isConfirmed, by: "--yes")
        try await finder.forget(sighting)
        var fresh = options
        fresh.device = .address(sighting.address)
        fresh.adapter = sighting.adapter
        try await dialogue.pair(try await PairingCandidate.find(fresh, with: finder))
        return .done
    }
}

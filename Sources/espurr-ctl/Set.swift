import CommandLineTools
import Ears
import EarsCommandLine

/// `set`: changes settings, all of them as one change, and waits until the ears say saved.
struct SetSettings: Verb {
    static let usage = Usage(
        "set", "change settings, and wait until they are saved",
        operands: Operands("NAME VALUE [NAME VALUE…]", 2...64, completes: .remembered(.settingsWithValues)),
        options: EarsOptions.options,
        details: [
            "Values are checked against the ears' own description before anything is sent; espurr-ctl get shows what each can "
                + "be, a refusal names it, and so does this help for a NAME that stands beside --help: as the ears that were "
                + "spoken to last said it. A number may have its own unit directly behind it. Several settings are one "
                + "change: all of them or none. Temporary settings end at applied. Ctrl-C while the ears save says what is "
                + "applied by then."
        ])

    let options: EarsOptions
    let changes: [(name: String, input: SettingInput)]

    init(_ arguments: ParsedArguments) throws(CommandFailure) {
        options = try EarsOptions(arguments)
        changes = try SettingPairs.read(arguments.operands)
    }

    static func helpLines(on operands: [String], environment: [String: String]) -> [String] {
        SettingsMemory.helpLines(on: SettingPairs.names(among: operands), environment: environment)
    }

    func run(_ invocation: Invocation) async throws(CommandFailure) -> ExitStatus {
        try await invocation.change(changes, options)
    }
}

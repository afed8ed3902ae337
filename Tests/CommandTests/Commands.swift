import Testing
import TestSupport

/// The three commands as they are built, and what they say of themselves.
enum Commands {
    static let names = ["espurr-ota", "espurr-ctl", "espurr-sim"]

    /// Every verb of the product. The help is compared with it.
    static let verbs: [String: [String]] = [
        "espurr-ota": [
            "check", "list", "download", "inspect", "install", "status", "recover", "history", "trust", "completion",
        ],
        "espurr-ctl": [
            "scan", "devices", "pair", "forget", "repair-bond", "info", "get", "set", "effects", "effect", "palette",
            "motion", "calibrate", "recenter", "wifi", "status", "export", "apply", "audio", "doctor",
            "support",
            "completion",
        ],
        "espurr-sim": ["run", "demo", "shell", "catalogue"],
    ]

    struct Verb: Hashable, Sendable, CustomTestStringConvertible {
        var command: String
        var name: String

        var testDescription: String { "\(command) \(name)" }
    }

    static let all = names.flatMap { command in (verbs[command] ?? []).map { Verb(command: command, name: $0) } }

    static func run(_ command: String, _ words: String...) async throws -> BuiltProgram.Output {
        try await BuiltProgram(command).run(words)
    }
}

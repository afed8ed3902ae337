import CommandLineTools
import Ears
import EarsCommandLine

/// `get`: reads settings.
struct GetSettings: Verb {
    static let usage = Usage(
        "get", "read settings", operands: Operands("[NAME…]", 0...64, completes: .remembered(.settings)),
        options: EarsOptions.options,
        details: [
            "Without a name: all of them. Behind each value stands what it can be, as the ears say it: a range, the words "
                + "that are allowed, a length. What the parameters of effects can be is in espurr-ctl effects.",
            "One name alone prints its value and nothing else; with --verbose also what it can be, on standard error. A "
                + "secret has no value that can be read: of it the line is printed that stands among all of them, “(write "
                + "only)” and what it can be.",
        ])

    let options: EarsOptions
    let names: [String]

    init(_ arguments: ParsedArguments) throws(CommandFailure) {
        options = try EarsOptions(arguments)
        names = arguments.operands
    }

    var isForItsOutput: Bool { true }

    func run(_ invocation: Invocation) async throws(CommandFailure) -> ExitStatus {
        let names = names
        let settings = try await EarsFinder(invocation).withSettings(options) { owned throws(CommandFailure) in
            try await askingEars { () throws(EarsError) in
                let all = try await owned.session.settings()
                return names.isEmpty ? all : try all.named(names)
            }
        }
        if invocation.wantsJSON {
            invocation.console.print(JSON.document(invocation.schema, [("settings", .array(settings.map(\.json)))]))
        } else if names.count == 1, let value = settings.first?.value {
            for line in settings[0].rangeLines { invocation.console.detail(line) }
            invocation.console.print(value.description.printable)
        } else {
            // What needs a sensor that these ears lack is not offered; --json says which capability it is.
            for line in settings.filter({ $0.missingCapability == nil }).lines { invocation.console.show(line) }
        }
        return .done
    }
}

extension [Setting] {
    /// - Throws: the first name that these ears do not have, or not without a capability.
    fileprivate func named(_ names: [String]) throws(EarsError) -> [Setting] {
        var found: [Setting] = []
        for name in names {
            guard let setting = first(where: { $0.name == name }) else {
                throw .setting(SettingError(setting: name, reason: .noSuchSetting, known: map(\.name)))
            }
            if let capability = setting.missingCapability {
                throw .setting(SettingError(setting: name, reason: .capabilityMissing(capability)))
            }
            found.append(setting)
        }
        return found
    }
}

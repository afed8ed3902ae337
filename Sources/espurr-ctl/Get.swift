import CommandLineTools
import Ears
import EarsCommandLine

/// `get`: reads settings.
struct GetSettings: Verb {
    static let usage = Usage(
        "get", "read settings", operands: Operands("[NAME…]", 0...64, completes: .remembered(.settings)),
        options: EarsOptions.options,
        details: ["Without a name: all of them. One name alone prints its value and nothing else."])

    let options: EarsOptions
    let names: [String]

    init(_ arguments: ParsedArguments) throws(CommandFailure) {
        options = try EarsOptions(arguments)
        names = arguments.operands
    }

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
            invocation.console.print(value.description.printable)
        } else {
            let width = (settings.map(\.name.count).max() ?? 0) + 2
            // What needs a sensor that these ears lack is not offered; --json says which capability it is.
            for setting in settings where setting.missingCapability == nil {
                invocation.console.print(setting.name.printable.padded(to: width) + setting.valueInWords)
            }
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

import CommandLineTools
import Ears
import EarsCommandLine

/// `get`: reads settings.
struct GetSettings: Verb {
    static let usage = Usage(
        "get", "read settings", operands: Operands("[NAME…]", 0...64), options: EarsOptions.options,
        details: ["Without a name: all of them. One name alone prints its value and nothing else."])

    let options: EarsOptions
    let names: [String]

    init(_ arguments: ParsedArguments) throws(CommandFailure) {
        options = try EarsOptions(arguments)
        names = arguments.operands
    }

    func run(_ invocation: Invocation) async throws(CommandFailure) -> ExitStatus {
        let names = names
        let settings = try await EarsFinder(invocation).withSession(options) { owned throws(EarsError) in
            if names.isEmpty { return try await owned.session.settings() }
            var settings: [Setting] = []
            for name in names { settings.append(try await owned.session.setting(name)) }
            return settings
        }
        if invocation.wantsJSON {
            invocation.console.print(JSON.document(invocation.schema, [("settings", .array(settings.map(\.json)))]))
        } else if names.count == 1, let value = settings.first?.value {
            invocation.console.print(value.description.printable)
        } else {
            let width = (settings.map(\.name.count).max() ?? 0) + 2
            for setting in settings {
                invocation.console.print(setting.name.printable.padded(to: width) + setting.valueInWords)
            }
        }
        return .done
    }
}

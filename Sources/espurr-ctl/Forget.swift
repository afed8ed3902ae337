import Bluetooth
import CommandLineTools
import EarsCommandLine

/// `forget`: removes this machine's bond, and only that.
struct Forget: Verb {
    static let usage = Usage(
        "forget", "remove this machine's bond with ears", options: EarsOptions.options + [.yes],
        details: ["The ears keep their side of the bond until a new one pushes it out; nothing is sent to them."])

    let options: EarsOptions
    let isConfirmed: Bool

    init(_ arguments: ParsedArguments) throws(CommandFailure) {
        options = try EarsOptions(arguments)
        isConfirmed = arguments.has(.yes)
    }

    func run(_ invocation: Invocation) async throws(CommandFailure) -> ExitStatus {
        let finder = try EarsFinder(invocation)
        let sighting = try await finder.findToForget(options)
        try await invocation.ask("Forget \(sighting.inWords)?", isAnswered: isConfirmed, by: "--yes")
        try await finder.forget(sighting)
        if invocation.wantsJSON {
            let members: [(String, JSON)] = [("forgotten", .string(sighting.address.description))]
            invocation.console.print(JSON.document(invocation.schema, members))
        } else {
            invocation.console.show("forgot \(sighting.inWords) on this machine; the ears keep their side")
        }
        return .done
    }
}

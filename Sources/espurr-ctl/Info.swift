import Bluetooth
import CommandLineTools
import ControlProtocol
import Ears
import EarsCommandLine

/// `info`: what these ears are.
struct Info: Verb {
    static let usage = Usage(
        "info", "show what the ears are and what they can do", options: EarsOptions.options)

    let options: EarsOptions

    init(_ arguments: ParsedArguments) throws(CommandFailure) { options = try EarsOptions(arguments) }

    var isForItsOutput: Bool { true }

    func run(_ invocation: Invocation) async throws(CommandFailure) -> ExitStatus {
        let card = try await EarsFinder(invocation).withSession(options) { owned throws(EarsError) in
            EarsCard(
                address: owned.sighting.address.description, mode: owned.session.mode,
                device: try await owned.session.deviceInformation(),
                capabilities: try await owned.session.capabilities().names,
                battery: try await owned.session.state().battery)
        }
        if invocation.wantsJSON {
            invocation.console.print(JSON.document(invocation.schema, card.members))
        } else {
            for (label, text) in card.rows { invocation.console.show(label.padded(to: 14) + text.printable) }
        }
        return .done
    }
}

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
            Card(
                address: owned.sighting.address.description, mode: owned.session.mode,
                device: try await owned.session.deviceInformation(),
                capabilities: try await owned.session.capabilities().names,
                battery: try await owned.session.state().battery)
        }
        if invocation.wantsJSON {
            invocation.console.print(JSON.document(invocation.schema, card.members))
        } else {
            for (label, text) in card.rows { invocation.console.print(label.padded(to: 14) + text.printable) }
        }
        return .done
    }

    struct Card: Sendable {
        let address: String
        let mode: EarsMode
        let device: DeviceInformation
        let capabilities: [String]
        let battery: Battery?

        var rows: [(String, String)] {
            [
                ("name", device.name), ("address", address), ("family", device.family), ("chip", device.chip),
                ("hardware", device.hardwareRevision), ("firmware", device.firmwareVersion),
                ("protocol", String(device.applicationProtocol)), ("mode", mode.rawValue),
                ("battery", battery.map { "\($0.percent) %" } ?? "not reported"),
                ("capabilities", capabilities.isEmpty ? "none" : capabilities.joined(separator: ", ")),
            ]
        }

        var members: [(String, JSON)] {
            [
                ("name", .string(device.name)), ("address", .string(address)), ("family", .string(device.family)),
                ("chip", .string(device.chip)), ("hardware_revision", .string(device.hardwareRevision)),
                ("firmware_version", .string(device.firmwareVersion)),
                ("application_protocol", .integer(Int64(device.applicationProtocol))), ("mode", .string(mode.rawValue)),
                ("battery_percent", .optional(battery?.percent)),
                ("capabilities", .array(capabilities.map(JSON.string))),
            ]
        }
    }
}

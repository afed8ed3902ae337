import Bluetooth
import CommandLineTools
import Ears
import EarsCommandLine

/// `devices`: the ears that this machine has a bond with.
struct Devices: Verb {
    static let usage = Usage(
        "devices", "list the ears that this machine is paired with", options: [EarsOptions.adapterOption])

    let options: EarsOptions

    init(_ arguments: ParsedArguments) throws(CommandFailure) { options = try EarsOptions(arguments) }

    var isForItsOutput: Bool { true }

    func run(_ invocation: Invocation) async throws(CommandFailure) -> ExitStatus {
        let finder = try EarsFinder(invocation)
        _ = try await finder.usableAdapter(options.adapter)
        let known = try await finder.asking { () throws(BluetoothError) in
            try await finder.central.known(with: EarsSession.service, on: options.adapter)
        }
        let bonded = known.filter(\.isBonded)
        if invocation.wantsJSON {
            let devices = bonded.map { JSON.object($0.members) }
            invocation.console.print(JSON.document(invocation.schema, [("devices", .array(devices))]))
            return .done
        }
        if bonded.isEmpty { invocation.console.note("no ears are paired with this machine: espurr-ctl pair") }
        for sighting in bonded {
            let words = [
                sighting.address.description, (sighting.name ?? "").printable, "\(sighting.adapter)", sighting.use,
            ]
            invocation.console.show(words.joined(separator: "  "))
        }
        return .done
    }
}

import Bluetooth
import CommandLineTools
import Ears
import EarsCommandLine

/// `scan`: ears as they appear.
struct Scan: Verb {
    static let usage = Usage(
        "scan", "list ears as they appear", options: EarsOptions.options,
        details: [
            "Lists each pair of ears once, in the order of appearance, those that BlueZ knows already first. --timeout "
                + "says how long to look: 10s where it is not given. With --device it ends when those were seen.",
            "With --json each sighting is one line, printed again when its signal strength or state changes.",
        ])
    static let defaultTimeout = Duration.seconds(10)

    let options: EarsOptions

    init(_ arguments: ParsedArguments) throws(CommandFailure) {
        var options = try EarsOptions(arguments)
        if !EarsOptions.isTimeoutGiven(arguments) { options.timeout = Self.defaultTimeout }
        self.options = options
    }

    func run(_ invocation: Invocation) async throws(CommandFailure) -> ExitStatus {
        let finder = try EarsFinder(invocation)
        let adapter = try await finder.usableAdapter(options.adapter)
        let console = invocation.console
        if !invocation.wantsJSON { console.note("looking for ears on \(adapter), \(options.timeout.inWords)…") }
        let options = options
        let heard = try await finder.scan(on: adapter, for: options.timeout) { sightings, latest, isNew in
            if invocation.wantsJSON {
                console.print(JSON.document(invocation.schema, [("event", .string("seen"))] + latest.members))
            } else if isNew {
                console.print(latest.line)
            }
            return options.device.map { name in sightings.contains(where: name.matches) } ?? false
        }
        guard heard.contains(where: { options.device?.matches($0) ?? true }) else {
            throw .notFound(options.device, after: options.timeout)
        }
        return .done
    }
}

extension Sighting {
    /// What can be done with these ears now.
    var use: String {
        if !isBonded { return isPaired ? "paired without a bond: espurr-ctl repair-bond" : "not paired" }
        return isConnected ? "paired, connected" : "paired"
    }

    var line: String {
        let signal = rssi.map { "\($0) dBm" } ?? "not heard"
        return [address.description, (name ?? "").printable, signal, use].joined(separator: "  ")
    }

    var members: [(String, JSON)] {
        [
            ("address", .string(address.description)), ("name", .optional(name)), ("adapter", .string("\(adapter)")),
            ("rssi", .optional(rssi)), ("paired", .boolean(isPaired)), ("bonded", .boolean(isBonded)),
            ("connected", .boolean(isConnected)),
        ]
    }
}

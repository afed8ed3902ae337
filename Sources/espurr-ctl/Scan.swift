import Bluetooth
import CommandLineTools
import Ears
import EarsCommandLine
import Synchronization

/// `scan`: ears as they appear.
struct Scan: Verb {
    static let usage = Usage(
        "scan", "list ears as they appear", options: EarsOptions.options,
        details: [
            "Lists each pair of ears once, in the order of appearance, those that BlueZ knows already first, and says "
                + "when nothing was heard of them for 10 seconds. --timeout says how long to look: 10s where it is not "
                + "given. With --device it ends when those were heard or are connected.",
            "With --json each event is one line: “known” (to BlueZ, not heard), “appeared”, “changed” (signal strength "
                + "or state), “gone” (10 seconds of silence).",
        ])
    static let defaultTimeout = Duration.seconds(10)

    let options: EarsOptions

    init(_ arguments: ParsedArguments) throws(CommandFailure) {
        var options = try EarsOptions(arguments)
        if !EarsOptions.isTimeoutGiven(arguments) { options.timeout = Self.defaultTimeout }
        self.options = options
    }

    var isForItsOutput: Bool { true }

    func run(_ invocation: Invocation) async throws(CommandFailure) -> ExitStatus {
        try await invocation.whileRead { () throws(CommandFailure) in try await scan(invocation) }
    }

    private func scan(_ invocation: Invocation) async throws(CommandFailure) -> ExitStatus {
        let finder = try EarsFinder(invocation)
        let adapter = try await finder.usableAdapter(options.adapter)
        let console = invocation.console
        if !invocation.wantsJSON { console.note("looking for ears on \(adapter), \(options.timeout.inWords)…") }
        let options = options
        let listed = ListedEars()
        let seen = try await finder.scan(on: adapter, for: options.timeout) { event, present in
            if invocation.wantsJSON {
                console.print(JSON.document(invocation.schema, event.members))
            } else {
                event.show(on: console, among: present, isNew: listed.add(event.sighting))
            }
            return present.contains { ($0.isHeard || $0.isConnected) && options.device?.matches($0) ?? false }
        }
        console.endProgress()
        guard seen.contains(where: { options.device?.matches($0) ?? true }) else {
            throw .notFound(options.device, among: seen, after: options.timeout)
        }
        return .done
    }
}

/// The ears that have their line already.
private final class ListedEars: Sendable {
    private let addresses = Mutex<Set<BluetoothAddress>>([])

    /// - Returns: whether they are new.
    func add(_ ears: Sighting) -> Bool { addresses.withLock { $0.insert(ears.address).inserted } }
}

extension ScanEvent {
    fileprivate var code: String {
        switch self {
        case .known: "known"
        case .appeared: "appeared"
        case .changed: "changed"
        case .gone: "gone"
        }
    }

    fileprivate var members: [(String, JSON)] { [("event", .string(code))] + sighting.members }

    /// Each pair of ears is a line of its own once; what changes goes into the line that is replaced.
    fileprivate func show(on console: Console, among present: [Sighting], isNew: Bool) {
        switch self {
        case .known(let sighting), .appeared(let sighting):
            if isNew {
                console.show(sighting.line)
            } else {
                console.note("\(sighting.inWords) heard: \(sighting.signal)")
            }
        case .changed: break
        case .gone(let sighting):
            console.note("\(sighting.inWords) not heard for \(SightingList.silence.inWords)")
        }
        guard console.messages.isTerminal else { return }
        let signals = present.map { "\($0.name?.printable ?? "\($0.address)") \($0.signal)" }
        console.progress(signals.joined(separator: ", "))
    }
}

extension Sighting {
    /// What can be done with these ears now.
    var use: String {
        if !isBonded {
            return isPaired ? "paired without a bond: espurr-ctl repair-bond" : "not paired: espurr-ctl pair"
        }
        return isConnected ? "paired, connected" : "paired"
    }

    var signal: String { rssi.map { "\($0) dBm" } ?? "not heard" }

    var line: String {
        [address.description, (name ?? "").printable, signal, use].joined(separator: "  ")
    }

    var members: [(String, JSON)] {
        [
            ("address", .string(address.description)), ("name", .optional(name)), ("adapter", .string("\(adapter)")),
            ("rssi", .optional(rssi)), ("paired", .boolean(isPaired)), ("bonded", .boolean(isBonded)),
            ("connected", .boolean(isConnected)),
        ]
    }
}

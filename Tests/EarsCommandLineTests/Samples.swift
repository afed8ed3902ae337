import Bluetooth
import CommandLineTools
import EarsCommandLine
import Ears
import Synchronization
import TestSupport

extension AdapterName {
    static let zero = AdapterName("hci0")!
    static let one = AdapterName("hci1")!
}

extension BluetoothAddress {
    static let first = BluetoothAddress("C4:11:22:33:44:55")!
    static let second = BluetoothAddress("C4:11:22:33:44:66")!
}

extension Adapter {
    static let working = Adapter(.zero)

    init(_ name: AdapterName, isPowered: Bool = true, isBlocked: Bool = false) {
        self.init(
            name: name, address: .first, isPowered: isPowered, block: isBlocked ? .soft : nil, isDiscovering: false)
    }
}

extension Sighting {
    /// Ears; bonded where nothing else is said.
    static func ears(
        _ address: BluetoothAddress = .first, name: String? = "espurr-4455", on adapter: AdapterName = .zero,
        rssi: Int16? = nil, paired: Bool = true, bonded: Bool = true, connected: Bool = false
    ) -> Sighting {
        Sighting(
            adapter: adapter, address: address, name: name, rssi: rssi, isPaired: paired, isBonded: bonded,
            isConnected: connected, services: [EarsSession.service])
    }

    static func unpaired(
        _ address: BluetoothAddress = .first, name: String? = "espurr-4455", rssi: Int16? = -60
    ) -> Sighting { ears(address, name: name, rssi: rssi, paired: false, bonded: false) }
}

/// A finder with a scripted central, a clock that stands still, and folders of the test's own.
final class Bench: Sendable {
    let folder: TemporaryFolder
    let clock = TestClock()
    let central: ScriptedCentral
    let finder: EarsFinder
    let invocation: Invocation
    private let written = Mutex<(output: String, messages: String)>(("", ""))

    var output: String { written.withLock { $0.output } }
    var messages: String { written.withLock { $0.messages } }
    var memory: RememberedEars { RememberedEars(stateFolder: finder.directories.state) }

    init(
        _ script: ScriptedCentral.Script,
        input: Console.Input = Console.Input(descriptor: -1, isTerminal: false), isTerminal: Bool = false,
        beforeLeaving: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void = { _ in }
    ) throws {
        let folder = try TemporaryFolder()
        let environment = ["HOME": folder.path, "XDG_RUNTIME_DIR": folder.path]
        let style = Console.Style(isTerminal: isTerminal, hasColour: false, width: 80)
        let sink = Sink()
        let console = Console(output: style, messages: style, input: input) { stream, bytes in
            sink.take(stream, bytes)
            return true
        }
        self.folder = folder
        central = ScriptedCentral(script)
        finder = EarsFinder(
            central: central, directories: try UserDirectories(environment: environment), console: console,
            clock: clock, command: "espurr-ctl info", beforeLeaving: beforeLeaving)
        invocation = Invocation(
            program: "espurr-ctl", verb: "pair", console: console, environment: environment, wantsJSON: true,
            interruption: Interruption())
        sink.bench = { [weak self] stream, text in self?.keep(stream, text) }
    }

    private func keep(_ stream: Console.Stream, _ text: String) {
        written.withLock {
            switch stream {
            case .output: $0.output += text
            case .messages: $0.messages += text
            }
        }
    }

    /// Stands between a console that is made first and the bench that keeps what it writes.
    private final class Sink: Sendable {
        private let target = Mutex<(@Sendable (Console.Stream, String) -> Void)?>(nil)
        var bench: (@Sendable (Console.Stream, String) -> Void)? {
            get { target.withLock { $0 } }
            set { target.withLock { $0 = newValue } }
        }
        func take(_ stream: Console.Stream, _ bytes: [UInt8]) { bench?(stream, String(decoding: bytes, as: UTF8.self)) }
    }
}

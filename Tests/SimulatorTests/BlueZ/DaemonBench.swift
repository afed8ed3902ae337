import DBus

@testable import Simulator

/// The daemon with a clock that only the test moves, and everything that it put out.
struct DaemonBench {
    static let client = ":1.7"
    static let adapter = "/org/bluez/hci0"
    static let device = adapter + "/dev_02_E5_50_00_00_01"
    static let characteristic = device + "/service0010/char0011"
    static let commandable = device + "/service0010/char0014"
    static let streaming = device + "/service0010/char0017"
    static let descriptor = characteristic + "/desc0013"

    var daemon: BluetoothDaemon
    var time = Duration.zero
    private(set) var answers: [CallID: MethodAnswer] = [:]
    private(set) var signals: [Signal] = []
    private(set) var questions: [(request: AgentRequestID, call: MethodCall)] = []
    /// `Cancel` and `Release`.
    private(set) var told: [MethodCall] = []
    /// Acquired descriptors, by the call that each answers; what went over them; those that the daemon closed.
    private(set) var opened: [CallID: (stream: StreamID, mtu: UInt16)] = [:]
    private(set) var delivered: [[UInt8]] = []
    private(set) var closed: [StreamID] = []
    private var lastCall: UInt64 = 0

    init(
        _ peripherals: [ScriptedPeripheral] = [ScriptedPeripheral()], adapters: Int = 1,
        faults: Set<DaemonFault> = []
    ) {
        let addresses = (1...adapters).map { "02:5A:11:00:00:0\($0)" }
        daemon = BluetoothDaemon(adapters: addresses, peripherals: peripherals, faults: faults)
    }

    /// With a bond on both sides.
    static func bonded(
        _ peripheral: ScriptedPeripheral = ScriptedPeripheral(), faults: Set<DaemonFault> = []
    ) -> DaemonBench {
        var bench = DaemonBench([peripheral], faults: faults)
        let known = KnownDevice(
            address: peripheral.address, name: "espurr-0001", services: [ScriptedPeripheral.serviceUUID],
            key: ScriptedPeripheral.key)
        bench.daemon.restore(known, onAdapter: "02:5A:11:00:00:01")
        return bench
    }

    /// Bonded, connected and resolved.
    static func connected(
        _ peripheral: ScriptedPeripheral = ScriptedPeripheral(), faults: Set<DaemonFault> = []
    ) -> DaemonBench {
        var bench = DaemonBench.bonded(peripheral, faults: faults)
        _ = bench.device("Connect")
        bench.pass(.milliseconds(200))
        bench.forgetSignals()
        return bench
    }

    // MARK: Input

    mutating func call(
        _ member: String, of interface: String, at path: String, _ arguments: [DBusValue] = [],
        from client: String = Self.client
    ) -> CallID {
        lastCall += 1
        let id = CallID(number: lastCall)
        let call = IncomingCall(
            sender: client, path: path, interface: interface, member: member, arguments: arguments)
        note(daemon.receive(call, as: id, at: time))
        return id
    }

    mutating func adapter(
        _ member: String, _ arguments: [DBusValue] = [], from client: String = Self.client
    ) -> CallID {
        call(member, of: "org.bluez.Adapter1", at: Self.adapter, arguments, from: client)
    }

    mutating func device(_ member: String, from client: String = Self.client) -> CallID {
        call(member, of: "org.bluez.Device1", at: Self.device, from: client)
    }

    mutating func registerAgent(_ capability: String = "DisplayYesNo", from client: String = Self.client) -> CallID {
        call(
            "RegisterAgent", of: "org.bluez.AgentManager1", at: "/org/bluez",
            [.objectPath("/agent"), .string(capability)], from: client)
    }

    mutating func read(_ path: String = Self.characteristic, _ options: [String: DBusValue] = [:]) -> CallID {
        let interface = path.contains("/desc") ? "org.bluez.GattDescriptor1" : "org.bluez.GattCharacteristic1"
        return call("ReadValue", of: interface, at: path, [.properties(options)])
    }

    mutating func write(
        _ value: [UInt8], _ options: [String: DBusValue] = ["type": .string("request")],
        to path: String = Self.characteristic
    ) -> CallID {
        call("WriteValue", of: "org.bluez.GattCharacteristic1", at: path, [.bytes(value), .properties(options)])
    }

    mutating func acquire(_ member: String, of path: String = Self.streaming) -> CallID {
        call(member, of: "org.bluez.GattCharacteristic1", at: path, [.properties([:])])
    }

    mutating func packet(_ bytes: [UInt8], on stream: StreamID) { note(daemon.receive(bytes, on: stream, at: time)) }

    mutating func closeStream(_ stream: StreamID) { note(daemon.streamClosed(stream, at: time)) }

    mutating func pass(_ duration: Duration) {
        time += duration
        note(daemon.advance(to: time))
    }

    mutating func answerQuestion(_ accepted: Bool) {
        guard let question = questions.popLast() else { return }
        note(daemon.agentAnswered(question.request, accepted: accepted, at: time))
    }

    mutating func leave(_ client: String = Self.client) { note(daemon.clientLeft(client, at: time)) }

    mutating func shutDown() { note(daemon.shutDown(at: time)) }

    // MARK: Output

    private mutating func note(_ outputs: [BluetoothDaemon.Output]) {
        for output in outputs {
            switch output {
            case .answer(let id, let answer): answers[id] = answer
            case .signal(let signal): signals.append(signal)
            case .ask(let request, let call): questions.append((request, call))
            case .tell(let call): told.append(call)
            case .console, .crash: break
            case .open(let stream, let mtu, let call): opened[call] = (stream, mtu)
            case .deliver(_, let value): delivered.append(value)
            case .close(let stream): closed.append(stream)
            }
        }
    }

    mutating func forgetSignals() { signals = [] }

    func property(_ name: String, of interface: String = "org.bluez.Device1", at path: String = Self.device)
        -> DBusValue?
    { daemon.tree.value(name, of: interface, at: path) }

    var isConnected: DBusValue? { property("Connected") }

    /// The names of the events, in order: `Connected=true`, `+path`, `-path`.
    var events: [String] {
        signals.flatMap { signal -> [String] in
            switch (signal.member, signal.arguments.first) {
            case ("InterfacesAdded", .objectPath(let path)?): ["+" + path]
            case ("InterfacesRemoved", .objectPath(let path)?): ["-" + path]
            default:
                (signal.arguments[1].properties ?? [:]).compactMap { name, value in
                    if case .boolean(let isSet) = value { "\(name)=\(isSet)" } else { nil }
                }.sorted()
            }
        }
    }

    var peripheral: ScriptedPeripheral? { daemon.peripherals.first as? ScriptedPeripheral }
}

extension MethodAnswer {
    static let done = MethodAnswer.values([])

    /// A BlueZ error by its last word.
    static func failure(_ name: String, _ message: String) -> MethodAnswer {
        .error(name: "org.bluez.Error." + name, message: message)
    }
}

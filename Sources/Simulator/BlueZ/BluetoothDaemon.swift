import DBus

/// `bluetoothd` as it was seen to behave, without a bus: method calls and a time in, answers and signals out.
///
/// Nothing in it waits. The caller tells it the time at ``nextDeadline``, passes on what agents answered and which
/// clients left the bus, and carries out the outputs in their order.
struct BluetoothDaemon: Sendable {
    enum Output: Hashable, Sendable {
        case answer(CallID, MethodAnswer)
        case signal(Signal)
        /// A question to a client's agent, to be answered with ``agentAnswered(_:accepted:at:)``.
        case ask(AgentRequestID, MethodCall)
        /// `Cancel` and `Release` of an agent: nobody waits for the answer.
        case tell(MethodCall)
        /// A line on a peripheral's serial console.
        case console(peripheral: Int, line: String)
        /// A descriptor, and the call that it answers together with the MTU.
        case open(StreamID, mtu: UInt16, for: CallID)
        case deliver(StreamID, [UInt8])
        case close(StreamID)
        /// The daemon ends, and its connection with it.
        case crash
    }

    enum Timer: Hashable, Sendable {
        case advertise(adapter: Int)
        case reach(device: String)
        case resolve(device: String)
        case disconnect(device: String)
        case dropStale(device: String)
        case dropAfterPairing(device: String)
        case transmit(device: String)
        case transaction(device: String)
        case beginPairing(device: String)
        case failPairing(device: String)
        case pairingTimeout(device: String)
        case forget(device: String)
    }

    /// What a method call came to.
    enum Reply {
        case values([DBusValue])
        case later
        /// The caller's deadline passes.
        case never

        static let done = Reply.values([])
    }

    let timing: DaemonTiming
    let faults: Set<DaemonFault>
    var now = Duration.zero
    var tree = ObjectTree()
    var adapters: [AdapterState] = []
    var peripherals: [any AirPeripheral]
    /// By object path.
    var devices: [String: DeviceState] = [:]
    var agents = AgentRegistry()
    var agenda = Agenda<Timer>()
    /// What clients have acquired.
    var streams: [StreamID: AcquiredStream] = [:]
    private var outputs: [Output] = []
    private var lastRequest: UInt64 = 0
    private var lastStream: UInt64 = 0

    /// - Parameters:
    ///   - adapters: their addresses, `hci0` first.
    ///   - peripherals: what is in range of each of them.
    init(
        adapters: [String], peripherals: [any AirPeripheral], timing: DaemonTiming = .brisk,
        faults: Set<DaemonFault> = []
    ) {
        self.timing = faults.contains(.slowLink) ? .measured : timing
        self.faults = faults
        self.peripherals = peripherals
        tree.add("/org/bluez", [BlueZInterface.agentManager: [:]])
        guard !faults.contains(.noAdapter) else { return }
        for (number, address) in adapters.enumerated() { addAdapter(number, address: address) }
        _ = tree.takeSignals()
    }

    // MARK: What comes in

    mutating func receive(_ call: IncomingCall, as id: CallID, at time: Duration) -> [Output] {
        run(until: time)
        do throws(ErrorReply) {
            switch try dispatch(call, id) {
            case .values(let values): answer(id, .values(values))
            case .later: break
            case .never: answer(id, .silence)
            }
        } catch {
            fail(id, error)
        }
        return takeOutputs()
    }

    mutating func agentAnswered(_ request: AgentRequestID, accepted: Bool, at time: Duration) -> [Output] {
        run(until: time)
        comparisonAnswered(request, accepted: accepted)
        return takeOutputs()
    }

    /// A client's connection ended: its agent, its discoveries and its pairing go with it.
    mutating func clientLeft(_ name: String, at time: Duration) -> [Output] {
        run(until: time)
        agents.remove(name)
        for adapter in adapters.indices { endDiscovery(of: name, on: adapter) }
        for device in devices.values {
            if case .call(_, client: name) = device.pairing?.origin { endPairing(of: device.path, .cancelled) }
        }
        return takeOutputs()
    }

    /// A packet of a client.
    mutating func receive(_ packet: [UInt8], on stream: StreamID, at time: Duration) -> [Output] {
        run(until: time)
        streamWrote(packet, on: stream)
        return takeOutputs()
    }

    /// The client closed its end.
    mutating func streamClosed(_ stream: StreamID, at time: Duration) -> [Output] {
        run(until: time)
        endSubscription(stream)
        return takeOutputs()
    }

    mutating func advance(to time: Duration) -> [Output] {
        run(until: time)
        return takeOutputs()
    }

    /// Releases every agent, as `bluetoothd` does when it ends, and lets the links go.
    mutating func shutDown(at time: Duration) -> [Output] {
        run(until: time)
        for device in devices.keys.sorted() where devices[device]?.link.isUp == true { takeDown(device) }
        for agent in agents.all { outputs.append(.tell(MethodCall("Release", to: agent))) }
        return takeOutputs()
    }

    // MARK: What goes out

    /// Signals come before the answer that tells of the same thing, as `bluetoothd` flushes them.
    mutating func answer(_ id: CallID, _ answer: MethodAnswer) {
        announce()
        outputs.append(.answer(id, answer))
    }

    mutating func answer(_ ids: [CallID], _ answer: MethodAnswer = .values([])) {
        for id in ids { self.answer(id, answer) }
    }

    mutating func fail(_ id: CallID, _ error: ErrorReply) { answer(id, error.answer) }

    mutating func fail(_ ids: [CallID], _ error: ErrorReply) { answer(ids, error.answer) }

    /// Turns what changed in the tree into signals now, so that a later change of the same property is told apart.
    mutating func announce() { outputs += tree.takeSignals().map(Output.signal) }

    mutating func ask(_ agent: Agent, _ member: String, _ arguments: [DBusValue]) -> AgentRequestID {
        announce()
        lastRequest += 1
        let request = AgentRequestID(number: lastRequest)
        outputs.append(.ask(request, MethodCall(member, to: agent, arguments)))
        return request
    }

    mutating func print(_ line: String, of peripheral: Int) {
        outputs.append(.console(peripheral: peripheral, line: line))
    }

    /// Nothing that was asked is answered any more.
    mutating func crash() -> Reply {
        outputs.append(.crash)
        return .never
    }

    mutating func tellCancel(_ agent: Agent) { outputs.append(.tell(MethodCall("Cancel", to: agent))) }

    mutating func open(_ stream: AcquiredStream, mtu: UInt16, for call: CallID) {
        lastStream += 1
        let id = StreamID(number: lastStream)
        streams[id] = stream
        put(.open(id, mtu: mtu, for: call))
    }

    mutating func deliver(_ value: [UInt8], on stream: StreamID) { put(.deliver(stream, value)) }

    mutating func close(_ stream: StreamID) { put(.close(stream)) }

    private mutating func put(_ output: Output) {
        announce()
        outputs.append(output)
    }

    private mutating func takeOutputs() -> [Output] {
        announce()
        defer { outputs = [] }
        return outputs
    }
}

extension MethodCall {
    fileprivate init(_ member: String, to agent: Agent, _ arguments: [DBusValue] = []) {
        self.init(member, of: BlueZInterface.agent, at: agent.path, to: agent.owner, arguments)
    }
}

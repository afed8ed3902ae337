import DBus

/// ``BluetoothDaemon`` on a bus, in real time.
actor BlueZService {
    /// How long an agent may think (`REQUEST_TIMEOUT`).
    static let agentDeadline = Duration.seconds(60)
    static let name = "org.bluez"

    private let connection: BusConnection
    private let clock: any Clock<Duration>
    private let elapsed: @Sendable () -> Duration
    private let onConsole: @Sendable (_ peripheral: Int, _ line: String) -> Void
    private let beforeAnswering: @Sendable (inout BluetoothDaemon) -> Void
    private var daemon: BluetoothDaemon
    private var lastCall: UInt64 = 0
    private var waiting: [CallID: CheckedContinuation<MethodAnswer, Never>] = [:]
    private var alarm: (due: Duration, task: Task<Void, Never>)?
    private let outputs: AsyncStream<BluetoothDaemon.Output>.Continuation
    private var sockets: [StreamID: StreamSocket] = [:]
    /// What comes over acquired descriptors, in order and without a limit: BlueZ has none either.
    private let inputs: AsyncStream<(StreamID, StreamSocket.Input)>.Continuation
    private var tasks: [Task<Void, Never>] = []

    /// - Parameters:
    ///   - start: the daemon's time now.
    ///   - onConsole: is handed the lines of the peripherals' serial consoles, in order.
    ///   - beforeAnswering: is handed the daemon after each step, before anybody hears of it.
    init(
        _ daemon: BluetoothDaemon, on connection: BusConnection, startingAt start: Duration = .zero,
        clock: any Clock<Duration> = ContinuousClock(),
        onConsole: @escaping @Sendable (_ peripheral: Int, _ line: String) -> Void = { _, _ in },
        beforeAnswering: @escaping @Sendable (inout BluetoothDaemon) -> Void = { _ in }
    ) {
        self.daemon = daemon
        self.connection = connection
        self.clock = clock
        let stopwatch = clock.stopwatch()
        self.elapsed = { start + stopwatch() }
        self.onConsole = onConsole
        self.beforeAnswering = beforeAnswering
        let (stream, continuation) = AsyncStream.makeStream(of: BluetoothDaemon.Output.self)
        self.outputs = continuation
        let (packets, inputs) = AsyncStream.makeStream(of: (StreamID, StreamSocket.Input).self)
        self.inputs = inputs
        Task { await self.carryOut(stream) }
        Task { [weak self] in for await (id, input) in packets { await self?.take(input, on: id) } }
    }

    /// Appears on the bus; a client that sees the name sees every object.
    func start() async throws(DBusError) {
        let rule = MatchRule(
            sender: "org.freedesktop.DBus", interface: "org.freedesktop.DBus", member: "NameOwnerChanged")
        let changes = try await connection.signals(rule, deadline: BusConnection.busDeadline)
        try await connection.export(at: "/") { [weak self] call in await self?.serve(call) ?? .silence }
        tasks.append(Task { [weak self] in for await change in changes { await self?.ownerChanged(change) } })
        perform(daemon.advance(to: elapsed()))
        try await connection.requestName(Self.name)
    }

    /// Releases the agents and lets the links go.
    ///
    /// - Returns: the daemon and its peripherals as they are then.
    func stop() async -> BluetoothDaemon {
        alarm?.task.cancel()
        for task in tasks { task.cancel() }
        for output in daemon.shutDown(at: elapsed()) { outputs.yield(output) }
        outputs.finish()
        inputs.finish()
        for continuation in waiting.values { continuation.resume(returning: .silence) }
        waiting = [:]
        return daemon
    }

    private func serve(_ call: IncomingCall) async -> MethodAnswer {
        await withCheckedContinuation { continuation in
            lastCall += 1
            let id = CallID(number: lastCall)
            waiting[id] = continuation
            perform(daemon.receive(call, as: id, at: elapsed()))
        }
    }

    private func ownerChanged(_ signal: Signal) {
        guard case .string(let name)? = signal.arguments.first, case .string("")? = signal.arguments.last else {
            return
        }
        perform(daemon.clientLeft(name, at: elapsed()))
    }

    private func perform(_ outputs: [BluetoothDaemon.Output]) {
        beforeAnswering(&daemon)
        for output in outputs { self.outputs.yield(output) }
        setAlarm()
    }

    private func setAlarm() {
        guard let due = daemon.nextDeadline else { return }
        if let alarm, alarm.due <= due { return }
        alarm?.task.cancel()
        let delay = max(.zero, due - elapsed())
        let task = Task { [clock, weak self] in
            do { try await clock.sleep(for: delay) } catch { return }
            await self?.wake()
        }
        alarm = (due, task)
    }

    private func wake() {
        alarm = nil
        perform(daemon.advance(to: elapsed()))
    }

    // MARK: Outputs, one after the other

    private func carryOut(_ stream: AsyncStream<BluetoothDaemon.Output>) async {
        for await output in stream {
            switch output {
            case .answer(let id, let answer): waiting.removeValue(forKey: id)?.resume(returning: answer)
            // A bus that is gone has nobody to tell.
            case .signal(let signal): try? await connection.emit(signal)
            case .console(let peripheral, let line): onConsole(peripheral, line)
            case .crash: await connection.close()
            case .tell(let call): Task { _ = try? await connection.call(call, deadline: Self.agentDeadline) }
            case .ask(let request, let call): Task { await ask(call, request) }
            case .open(let id, let mtu, let call): await open(id, mtu: mtu, for: call)
            case .deliver(let id, let value): await sockets[id]?.send(value)
            case .close(let id): await sockets.removeValue(forKey: id)?.close()
            }
        }
    }

    private func open(_ id: StreamID, mtu: UInt16, for call: CallID) async {
        guard let (own, client) = StreamSocket.ends() else {
            waiting.removeValue(forKey: call)?.resume(returning: ErrorReply.failed("Too many open files").answer)
            return perform(daemon.streamClosed(id, at: elapsed()))
        }
        sockets[id] = await StreamSocket(own) { [inputs] in inputs.yield((id, $0)) }
        waiting.removeValue(forKey: call)?.resume(returning: .values([.fileDescriptor(client), .uint16(mtu)]))
    }

    private func take(_ input: StreamSocket.Input, on id: StreamID) {
        switch input {
        case .packet(let packet): perform(daemon.receive(packet, on: id, at: elapsed()))
        case .closed:
            sockets[id] = nil
            perform(daemon.streamClosed(id, at: elapsed()))
        }
    }

    private func ask(_ call: MethodCall, _ request: AgentRequestID) async {
        let isAccepted = (try? await connection.call(call, deadline: Self.agentDeadline)) != nil
        perform(daemon.agentAnswered(request, accepted: isAccepted, at: elapsed()))
    }
}

extension Clock where Duration == Swift.Duration {
    /// The time since this call.
    func stopwatch() -> @Sendable () -> Duration {
        let start = now
        return { start.duration(to: self.now) }
    }
}

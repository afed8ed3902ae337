/// A private connection to a message bus.
///
/// Every use of libdbus happens on the event loop's thread, which is also this actor's executor: the readiness of the
/// descriptor, the messages that came and this actor's own methods never overlap.
///
/// What is guaranteed of order: messages are taken up one by one as the bus delivered them. When a call returns, every
/// signal that the bus delivered before the reply is in its stream already. Exported handlers are started in the order
/// of the calls. Tasks that wait for different calls or streams may, of course, wake in any order.
///
/// The connection ends with ``close()``, with its last reference, or when the bus ends it: calls under way throw
/// ``DBusError/disconnected`` and streams of signals finish.
public actor BusConnection {
    /// Such as `:1.42`, which the bus gave this connection.
    public nonisolated let uniqueName: String
    public nonisolated var unownedExecutor: UnownedSerialExecutor { EventLoop.shared.asUnownedSerialExecutor() }

    nonisolated let clock: any Clock<Duration>
    /// Time since the connection was made.
    nonisolated let elapsed: @Sendable () -> Duration

    /// Nil once the connection has ended.
    var loop: ConnectionLoop?
    var lastID: UInt64 = 0

    var recentCalls = RecentCalls()
    var pendingCalls: [UInt32: PendingCall] = [:]
    var nextExpiry: (due: Duration, task: Task<Void, Never>)?

    var subscriptions: [UInt64: Subscription] = [:]
    var trackedNames: [String: TrackedName] = [:]

    var handlers: [String: MethodHandler] = [:]
    var callsUnderWay = 0
    let inbox: AsyncStream<Delivery>.Continuation
    let serving: Task<Void, Never>

    /// Connects, authenticates and says hello, without blocking a thread of the concurrency pool.
    ///
    /// - Parameters:
    ///   - deadline: of all three together. A thread that is stuck in them outlives it and cleans up after itself.
    ///   - clock: what deadlines are measured with.
    /// - Throws: `connectionFailed`, `connectionRefused`, `deadline`, `cancelled`, `unexpectedReply`, `outOfMemory`.
    public init(
        to address: BusAddress, deadline: Duration, clock: any Clock<Duration> = ContinuousClock()
    ) async throws(DBusError) {
        try await self.init(
            at: address.text(environment: BusAddress.processEnvironment), deadline: deadline, clock: clock)
    }

    /// Apart from the initializer above, which optimised clients take in: where they allocate an actor of another module
    /// themselves, Swift 6.3.1 fails on its isolated deinitializer (“circular reference”).
    private init(at text: String, deadline: Duration, clock: any Clock<Duration>) async throws(DBusError) {
        let opened = try await OpenedConnection.open(text, deadline: deadline, clock: clock)
        let (deliveries, inbox) = AsyncStream.makeStream(of: Delivery.self)
        self.clock = clock
        self.elapsed = clock.stopwatch()
        self.uniqueName = opened.uniqueName
        self.inbox = inbox
        self.serving = Task { await Delivery.serve(deliveries) }
        try start(opened)
    }

    private func start(_ opened: OpenedConnection) throws(DBusError) {
        let loop = ConnectionLoop(opened) { [weak self] message in
            self?.assumeIsolated { $0.receive(message) }
        }
        self.loop = loop
        try loop.start()
    }

    isolated deinit { end() }

    /// False once the connection has ended, by either side.
    public var isOpen: Bool { loop != nil }

    /// Ends the connection at once; harmless when it has ended already.
    public func close() { end() }

    private func end() {
        guard let loop else { return }
        self.loop = nil
        loop.close()
        serving.cancel()
        inbox.finish()
        failPendingCalls()
        finishSubscriptions()
        handlers = [:]
    }

    private func receive(_ message: ReceivedMessage) {
        switch message.kind {
        case .reply, .error: finishCall(message)
        case .signal where message.isDisconnected: end()
        case .signal: deliverSignal(message)
        case .call: deliverCall(message)
        // Of a type that is not known: to be ignored (D-Bus specification, "Message Format").
        case .other: return
        }
    }

    func newID() -> UInt64 {
        lastID += 1
        return lastID
    }

    /// Sends what nobody waits for an answer to.
    func send(_ message: consuming RawMessage) throws(DBusError) {
        guard let loop else { throw .disconnected }
        _ = try loop.send(message)
    }

    /// Runs on this actor after what is running there now.
    nonisolated func enqueue(_ work: @escaping @Sendable (isolated BusConnection) -> Void) {
        EventLoop.shared.async { [weak self] in self?.assumeIsolated(work) }
    }
}

extension Clock where Duration == Swift.Duration {
    fileprivate func stopwatch() -> @Sendable () -> Duration {
        let start = now
        return { start.duration(to: self.now) }
    }
}

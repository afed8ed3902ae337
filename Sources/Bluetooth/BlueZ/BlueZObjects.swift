import DBus

/// The connection to BlueZ and its objects, kept current by its signals. Opened by the first call that needs it, and
/// again after BlueZ or the bus has gone.
actor BlueZObjects {
    nonisolated let clock: any Clock<Duration>
    nonisolated let limits: BlueZLimits
    private let address: BusAddress

    private var connection: BusConnection?
    private var state = State.closed
    private(set) var tree = ObjectTree()

    private var followers: [Task<Void, Never>] = []
    private var waiters: [UInt64: Waiter] = [:]
    private var listeners: [UInt64: AsyncStream<ObjectTree.Change>.Continuation] = [:]
    private var scans: [String: Scan] = [:]
    private var lastIdentifier: UInt64 = 0

    private enum State {
        case closed
        case opening
        /// With the unique name of the daemon: a daemon that is started anew is another one.
        case open(daemon: String)
        case lost(BluetoothError)
    }

    private enum Scan { case running, stopping }

    /// Something that waits for the objects to be in some state.
    private struct Waiter {
        /// Resumes it where it can be; true then.
        let check: (isolated BlueZObjects) -> Bool
        let cancel: () -> Void
    }

    init(address: BusAddress, limits: BlueZLimits, clock: any Clock<Duration>) {
        self.address = address
        self.limits = limits
        self.clock = clock
    }

    deinit {
        for follower in followers { follower.cancel() }
    }

    nonisolated var busName: String {
        switch address {
        case .system: "system"
        case .explicit(let address): address
        }
    }

    /// The daemon's unique name.
    var daemon: String? {
        if case .open(let daemon) = state { daemon } else { nil }
    }
}

// MARK: - Opening

extension BlueZObjects {
    /// Returns once the objects are there and current.
    func open() async throws(BluetoothError) {
        switch state {
        case .open: return
        case .opening: break
        case .closed, .lost:
            state = .opening
            Task { await self.start() }
        }
        try await suspend { objects in
            switch objects.state {
            case .open: .success(())
            case .lost(let error): .failure(error)
            case .closed, .opening: nil
            }
        }.get()
    }

    private func start() async {
        do throws(BluetoothError) {
            let connection = try await connect()
            let names = try await signals(Self.ownerRule, on: connection)
            let daemon = try await findDaemon(on: connection)
            let signals = try await signals(MatchRule(sender: daemon), on: connection)
            let objects = try await snapshot(of: daemon, on: connection)
            guard tree.replace(with: objects) else {
                throw .unexpected(name: "GetManagedObjects", message: "a reply of another type", during: .openBus)
            }
            state = .open(daemon: daemon)
            follow(names, of: daemon) { objects, signal in objects.followOwner(signal, of: daemon) }
            follow(signals, of: daemon) { objects, signal in objects.followObjects(signal, of: daemon) }
            wake()
        } catch {
            lose(error)
        }
    }

    private static let ownerRule = MatchRule(
        sender: BlueZName.bus, path: BlueZName.busPath, interface: BlueZName.bus, member: "NameOwnerChanged",
        firstArgument: BlueZName.service)

    private func connect() async throws(BluetoothError) -> BusConnection {
        if let connection { return connection }
        do {
            let connection = try await BusConnection(to: address, deadline: limits.answer, clock: clock)
            self.connection = connection
            return connection
        } catch {
            throw BluetoothError(error, situation(.openBus, limits.answer))
        }
    }

    private func signals(
        _ rule: MatchRule, on connection: BusConnection
    ) async throws(BluetoothError) -> AsyncStream<Signal> {
        do { return try await connection.signals(rule, deadline: limits.answer) } catch { throw lostBus(error) }
    }

    /// `GetNameOwner` starts nothing, so that a daemon that is not there is named at once.
    private func findDaemon(on connection: BusConnection) async throws(BluetoothError) -> String {
        let owner: String?
        do { owner = try await connection.owner(of: BlueZName.service, deadline: limits.answer) } catch {
            throw lostBus(error)
        }
        guard let owner else { throw .machine(.noDaemon) }
        return owner
    }

    private func snapshot(of daemon: String, on connection: BusConnection) async throws(BluetoothError) -> [DBusValue] {
        let call = MethodCall("GetManagedObjects", of: BlueZName.objectManager, at: BlueZName.root, to: daemon)
        do { return try await send(call, on: connection, within: limits.answer) } catch {
            if case .deadline(let limit) = error { throw .machine(.daemonSilent(after: limit)) }
            throw lostBus(error)
        }
    }

    /// A connection that failed once is not used again.
    private func lostBus(_ error: DBusError) -> BluetoothError {
        if error == .disconnected { connection = nil }
        return BluetoothError(error, situation(.openBus, limits.answer))
    }
}

// MARK: - Following

extension BlueZObjects {
    private func follow(
        _ signals: AsyncStream<Signal>, of daemon: String,
        _ handle: @escaping @Sendable (isolated BlueZObjects, Signal) -> Void
    ) {
        followers.append(
            Task { [weak self] in
                for await signal in signals { await self?.perform { handle($0, signal) } }
                await self?.signalsEnded(of: daemon)
            })
    }

    private func perform(_ body: @Sendable (isolated BlueZObjects) -> Void) { body(self) }

    private func followObjects(_ signal: Signal, of daemon: String) {
        guard case .open(daemon) = state, signal.sender == daemon else { return }
        let change = tree.apply(signal)
        wake()
        for listener in listeners.values { listener.yield(change) }
    }

    /// `NameOwnerChanged(name, old owner, new owner)`.
    private func followOwner(_ signal: Signal, of daemon: String) {
        guard case .open(daemon) = state, signal.arguments.count == 3, signal.arguments[0] == .string(BlueZName.service),
            signal.arguments[2] != .string(daemon)
        else { return }
        lose(.machine(.noDaemon))
    }

    private func signalsEnded(of daemon: String) {
        guard case .open(daemon) = state else { return }
        connection = nil
        lose(.machine(.noBus(address: busName, reason: "disconnected")))
    }

    private func lose(_ error: BluetoothError) {
        state = .lost(error)
        tree.removeAll()
        scans = [:]
        for follower in followers { follower.cancel() }
        followers = []
        wake()
        for listener in listeners.values { listener.finish() }
        listeners = [:]
    }

    private func wake() {
        for (identifier, waiter) in waiters where waiter.check(self) { waiters[identifier] = nil }
    }

    /// What changes from now on; ends when BlueZ goes.
    func changes() -> AsyncStream<ObjectTree.Change> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: ObjectTree.Change.self, bufferingPolicy: .bufferingNewest(Self.bufferedChanges))
        guard case .open = state else {
            continuation.finish()
            return stream
        }
        let identifier = nextIdentifier()
        listeners[identifier] = continuation
        continuation.onTermination = { [weak self] _ in Task { await self?.removeListener(identifier) } }
        return stream
    }

    /// Changes say only where to look in the tree, so an old one that is dropped costs nothing but its moment.
    private static let bufferedChanges = 1024

    private func removeListener(_ identifier: UInt64) { listeners[identifier] = nil }

    private func nextIdentifier() -> UInt64 {
        lastIdentifier += 1
        return lastIdentifier
    }
}

// MARK: - Waiting

extension BlueZObjects {
    /// Returns what `find` finds in the tree, now or after a change. Where BlueZ goes first and the empty tree is no
    /// answer to `find`, that is the error.
    func wait<Value: Sendable>(
        for find: @escaping @Sendable (ObjectTree) throws(BluetoothError) -> Value?
    ) async throws(BluetoothError) -> Value {
        try await suspend { objects in
            do throws(BluetoothError) {
                if let value = try find(objects.tree) { return .success(value) }
            } catch {
                return .failure(objects.loss ?? error)
            }
            return objects.loss.map { .failure($0) }
        }.get()
    }

    /// Why BlueZ cannot be reached any more.
    var loss: BluetoothError? {
        if case .lost(let error) = state { error } else { nil }
    }

    private func suspend<Value: Sendable>(
        _ check: @escaping @Sendable (isolated BlueZObjects) -> Result<Value, BluetoothError>?
    ) async -> Result<Value, BluetoothError> {
        if let result = check(self) { return result }
        let identifier = nextIdentifier()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                guard !Task.isCancelled else { return continuation.resume(returning: .failure(.cancelled)) }
                waiters[identifier] = Waiter(
                    check: { objects in
                        guard let result = check(objects) else { return false }
                        continuation.resume(returning: result)
                        return true
                    },
                    cancel: { continuation.resume(returning: .failure(.cancelled)) })
            }
        } onCancel: {
            Task { await self.cancelWaiter(identifier) }
        }
    }

    private func cancelWaiter(_ identifier: UInt64) { waiters.removeValue(forKey: identifier)?.cancel() }
}

// MARK: - Calling

extension BlueZObjects {
    /// Calls BlueZ. It never starts it: the call goes to the daemon whose objects these are.
    func call(
        _ member: String, of interface: String, at path: String, _ arguments: [DBusValue] = [], within limit: Duration
    ) async throws(DBusError) -> [DBusValue] {
        guard case .open(let daemon) = state, let connection else {
            throw .remote(name: BlueZErrorName.nameHasNoOwner, message: "")
        }
        let call = MethodCall(member, of: interface, at: path, to: daemon, arguments)
        return try await send(call, on: connection, within: limit)
    }

    private func send(
        _ call: MethodCall, on connection: BusConnection, within limit: Duration
    ) async throws(DBusError) -> [DBusValue] {
        do throws(DBusError) {
            return try await connection.call(call, deadline: limit)
        } catch .remote(BlueZErrorName.noReply, _) {
            // From the bus, for a daemon that ended under the call: a deadline of ours is not `remote`.
            throw .remote(name: BlueZErrorName.nameHasNoOwner, message: "")
        }
    }

    func export(at path: String, _ handler: @escaping Handler) async throws(DBusError) {
        guard let connection else { throw .disconnected }
        try await connection.export(at: path, handler: handler)
    }

    func unexport(_ path: String) async { await connection?.unexport(prefix: path) }

    func situation(_ operation: BluetoothError.Operation, _ limit: Duration, at device: Device1? = nil) -> Situation {
        var situation = Situation(operation: operation, bus: busName, limit: limit)
        situation.device = device?.address
        if let adapter = device.flatMap({ tree.adapters[$0.adapter] }) {
            situation.adapter = adapter.name
            situation.adapterIsBlocked = adapter.isBlocked
        }
        return situation
    }

    /// Takes out at once what BlueZ has just removed.
    func forget(_ path: String) {
        tree.removeSubtree(path)
        wake()
    }
}

// MARK: - Discovery sessions

extension BlueZObjects {
    /// BlueZ grants one discovery on an adapter to each connection. Waits for the end of one that is being stopped.
    func beginScan(on adapter: String) async throws(BluetoothError) {
        try await suspend { objects in
            switch objects.scans[adapter] {
            case .running: return .failure(.busy(.discover))
            case .stopping: return nil
            case nil:
                objects.scans[adapter] = .running
                return .success(())
            }
        }.get()
    }

    func stopScan(on adapter: String) { scans[adapter] = .stopping }

    func endScan(on adapter: String) {
        scans[adapter] = nil
        wake()
    }
}

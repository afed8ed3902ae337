import DBus

extension BlueZObjects {
    func follow(
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

    func followObjects(_ signal: Signal, of daemon: String) {
        guard case .open(daemon) = state, signal.sender == daemon else { return }
        let change = tree.apply(signal)
        wake()
        for listener in listeners.values { listener.yield(change) }
    }

    /// `NameOwnerChanged(name, old owner, new owner)`.
    func followOwner(_ signal: Signal, of daemon: String) {
        guard case .open(daemon) = state, signal.arguments.count == 3,
            signal.arguments[0] == .string(BlueZName.service),
            signal.arguments[2] != .string(daemon)
        else { return }
        lose(.machine(.noDaemon(.ended)))
    }

    private func signalsEnded(of daemon: String) {
        guard case .open(daemon) = state else { return }
        connection = nil
        lose(.machine(.noBus(address: busName, reason: "disconnected")))
    }

    func lose(_ error: BluetoothError) {
        state = .lost(error)
        tree.removeAll()
        scans = [:]
        for follower in followers { follower.cancel() }
        followers = []
        wake()
        for listener in listeners.values { listener.finish() }
        listeners = [:]
    }

    func wake() {
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

    func nextIdentifier() -> UInt64 {
        lastIdentifier += 1
        return lastIdentifier
    }
}

import DBus

/// What goes to BlueZ over a descriptor that it gave.
actor OutgoingPackets {
    nonisolated var unownedExecutor: UnownedSerialExecutor { EventLoop.shared.asUnownedSerialExecutor() }
    private var descriptor: OwnedDescriptor?
    /// Watched while somebody waits for room.
    private var readiness: Readiness?
    private var end: PacketEnd?
    private var waiters = PacketWaiters()

    init(_ descriptor: OwnedDescriptor) async {
        self.descriptor = descriptor
        readiness = Readiness(of: descriptor, for: .writing) { [weak self] in
            self?.assumeIsolated { $0.roomCame() }
        }
    }

    func send(_ packet: [UInt8]) -> Packet.Sent {
        guard let descriptor else { return .end(end ?? .closedHere) }
        let sent = Packet.send(packet, to: descriptor)
        if case .end(let end) = sent { finish(end) }
        return sent
    }

    /// Returns when another packet may have room, or the task is cancelled.
    func room() async {
        guard end == nil else { return }
        let identifier = waiters.newIdentifier()
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                guard !Task.isCancelled else { return continuation.resume() }
                waiters.add(continuation, identifier)
                readiness?.watch(true)
            }
        } onCancel: {
            Task { await self.cancelWaiter(identifier) }
        }
    }

    func close() { finish(.closedHere) }

    private func cancelWaiter(_ identifier: UInt64) { waiters.cancel(identifier) }

    private func roomCame() {
        readiness?.watch(false)
        waiters.resumeAll()
    }

    private func finish(_ end: PacketEnd) {
        guard self.end == nil else { return }
        self.end = end
        readiness = nil
        descriptor = nil
        waiters.resumeAll()
    }
}

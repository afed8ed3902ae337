import DBus

/// What comes over a descriptor that BlueZ gave, read as soon as it is there and kept up to a limit.
actor IncomingPackets {
    enum Taken {
        case packet([UInt8])
        case nothingYet
        case end(PacketEnd)
    }

    nonisolated var unownedExecutor: UnownedSerialExecutor { EventLoop.shared.asUnownedSerialExecutor() }
    private let longest: Int
    private let limit: Int
    private var descriptor: OwnedDescriptor?
    private var readiness: Readiness?
    private var packets: [[UInt8]] = []
    private var end: PacketEnd?
    private var waiters = PacketWaiters()

    /// Between two looks at the descriptor whoever waits gets a turn.
    private static let packetsAtOnce = 64

    /// - Parameters:
    ///   - longest: bytes of a packet.
    ///   - limit: packets that may wait unread.
    init(_ descriptor: OwnedDescriptor, longest: Int, limit: Int) async {
        self.longest = longest
        self.limit = limit
        self.descriptor = descriptor
        readiness = Readiness(of: descriptor, for: .reading) { [weak self] in
            self?.assumeIsolated { $0.fetch() }
        }
        readiness?.watch(true)
    }

    /// The next packet; the end comes after the last.
    func take() -> Taken {
        if !packets.isEmpty { return .packet(packets.removeFirst()) }
        return end.map(Taken.end) ?? .nothingYet
    }

    /// Returns when there is something to take, or the task is cancelled.
    func arrival() async {
        guard packets.isEmpty, end == nil else { return }
        let identifier = waiters.newIdentifier()
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                guard !Task.isCancelled else { return continuation.resume() }
                waiters.add(continuation, identifier)
            }
        } onCancel: {
            Task { await self.cancelWaiter(identifier) }
        }
    }

    func close() {
        packets = []
        finish(.closedHere)
    }

    private func cancelWaiter(_ identifier: UInt64) { waiters.cancel(identifier) }

    private func fetch() {
        for _ in 0..<Self.packetsAtOnce {
            guard end == nil, let descriptor else { return }
            switch Packet.receive(from: descriptor, longest: longest) {
            case .nothingYet: return
            case .end(let end): finish(end)
            case .packet where packets.count == limit: finish(.overflow(limit: limit))
            case .packet(let packet):
                packets.append(packet)
                waiters.resumeAll()
            }
        }
    }

    private func finish(_ end: PacketEnd) {
        guard self.end == nil else { return }
        self.end = end
        readiness = nil
        descriptor = nil
        waiters.resumeAll()
    }
}

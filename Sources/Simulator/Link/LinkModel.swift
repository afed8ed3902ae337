/// One link of Bluetooth Low Energy in virtual time, as its two link layers run it: connection events of packet and
/// answer, fragments, acknowledgement and retransmission. Bytes and time in, messages and time out.
///
/// It knows nothing of what a message holds. A host never answers a packet within the event that brought it, unless the
/// event goes on anyway: T_IFS is too short for that. Both hosts may queue without a limit, which is what BlueZ does.
/// Events in which nothing is to be said are left out.
public struct LinkModel<Message: Sendable>: Sendable {
    /// A message that arrived whole.
    public struct Delivery: Sendable {
        public let message: Message
        public let receiver: LinkRole
        public let time: Duration
    }

    /// What went over the air.
    public struct Count: Hashable, Sendable {
        public var events = 0
        public var packets = 0
        public var damaged = 0
    }

    private enum Step {
        case idle
        case event(at: Duration)
        /// - Parameter hasMore: its MD bit.
        case centralSends(until: Duration, hasMore: Bool)
        /// - Parameter listens: whether the peripheral listens for one more packet in this event.
        case peripheralSends(until: Duration, hasMore: Bool, listens: Bool)

        var deadline: Duration? {
            switch self {
            case .idle: nil
            case .event(let time), .centralSends(let time, _), .peripheralSends(let time, _, _): time
            }
        }
    }

    public let settings: LinkSettings
    public private(set) var count = Count()
    private var central = LinkSide<Message>()
    private var peripheral = LinkSide<Message>()
    private var generator: SplitMix64
    private var step = Step.idle
    /// The start of the last event.
    private var anchor: Duration
    private var packetsInEvent = 0
    private var deliveries: [Delivery] = []

    /// - Parameters:
    ///   - seed: of what is lost.
    ///   - time: the anchor point of its first event, in which nothing was said.
    public init(_ settings: LinkSettings, seed: UInt64, openedAt time: Duration) {
        self.settings = settings
        generator = SplitMix64(seed: seed)
        anchor = time
    }

    /// A host hands a message to its controller.
    ///
    /// - Parameter bytes: of the ATT packet; L2CAP's header comes on top.
    public mutating func send(_ message: Message, bytes: Int, from role: LinkRole, at now: Duration) {
        let length = LinkSettings.frameHeader + bytes
        if role == .central { central.add(message, bytes: length) } else { peripheral.add(message, bytes: length) }
        guard case .idle = step else { return }
        let events = max(1, (now - anchor).count(of: settings.interval))
        step = .event(at: anchor + settings.interval * events)
    }

    /// The earliest time at which something happens by itself; nil: never.
    public var nextDeadline: Duration? { step.deadline }

    /// Lets time pass, and takes what arrived since it was last asked.
    public mutating func advance(to now: Duration) -> [Delivery] {
        while let due = step.deadline, due <= now { run(at: due) }
        defer { deliveries = [] }
        return deliveries
    }

    private mutating func run(at time: Duration) {
        switch step {
        case .idle: break
        case .event: beginEvent(at: time)
        case .centralSends(_, let hasMore): centralSent(hasMore, at: time)
        case .peripheralSends(_, let hasMore, let listens): peripheralSent(hasMore, listens, at: time)
        }
    }

    // MARK: One event

    private mutating func beginEvent(at time: Duration) {
        anchor = time
        packetsInEvent = 0
        (central.damagedInARow, peripheral.damagedInARow) = (0, 0)
        count.events += 1
        sendFromCentral(at: time)
    }

    private mutating func sendFromCentral(at time: Duration) {
        packetsInEvent += 1
        let packet = central.packet(settings.dataLength)
        step = .centralSends(until: time + settings.airTime(of: packet.bytes), hasMore: !central.isQueueEmpty)
    }

    private mutating func centralSent(_ centralHasMore: Bool, at time: Duration) {
        let isWhole = arrive(at: .peripheral, time)
        // Twice in a row ends the event (Core specification, Vol 6 Part B 4.5.6).
        guard peripheral.damagedInARow < 2 else { return endEvent() }
        let start = time + LinkSettings.interFrameSpace
        let end = anchor + settings.interval - LinkSettings.interFrameSpace
        let hasRoom = start + settings.airTime(of: peripheral.nextBytes(settings.dataLength)) <= end
        let packet = peripheral.packet(settings.dataLength, hasRoom: hasRoom)
        // Where neither has more, as far as the peripheral knows, it stops to listen once it has answered (4.5.6): what it
        // says then is lost until the next event if it arrives damaged.
        let hasMore = !peripheral.isQueueEmpty
        step = .peripheralSends(
            until: start + settings.airTime(of: packet.bytes), hasMore: hasMore,
            listens: hasMore || !isWhole || centralHasMore)
    }

    private mutating func peripheralSent(_ hasMore: Bool, _ listens: Bool, at time: Duration) {
        let isWhole = arrive(at: .central, time)
        let goesOn = central.current != nil || !central.isQueueEmpty || isWhole && hasMore
        guard goesOn, listens, central.damagedInARow < 2, packetsInEvent < settings.packetsPerEvent ?? .max else {
            return endEvent()
        }
        let next = time + LinkSettings.interFrameSpace
        let bytes = central.nextBytes(settings.dataLength)
        guard settings.hasRoom(for: bytes, and: peripheral.current?.bytes ?? 0, at: next - anchor) else {
            return endEvent()
        }
        sendFromCentral(at: next)
    }

    private mutating func endEvent() {
        let isUnacknowledged = central.current.map { $0.bytes > 0 } ?? false
        // What the peripheral sent last is acknowledged by the next packet, whenever that comes.
        let isUnread = peripheral.current.map { $0.bytes > 0 && peripheral.sequence == central.expected } ?? false
        let isIdle = central.isQueueEmpty && peripheral.isQueueEmpty && !isUnacknowledged && !isUnread
        step = isIdle ? .idle : .event(at: anchor + settings.interval)
    }

    /// - Returns: whether the packet on the air arrived whole.
    private mutating func arrive(at receiver: LinkRole, _ time: Duration) -> Bool {
        count.packets += 1
        guard settings.loss == 0 || Double.random(in: 0..<1, using: &generator) >= settings.loss else {
            count.damaged += 1
            if receiver == .central { central.damagedInARow += 1 } else { peripheral.damagedInARow += 1 }
            return false
        }
        let message =
            if receiver == .central {
                Self.hand(from: peripheral, to: &central)
            } else {
                Self.hand(from: central, to: &peripheral)
            }
        if let message { deliveries.append(Delivery(message: message, receiver: receiver, time: time)) }
        return true
    }

    private static func hand(from sender: LinkSide<Message>, to receiver: inout LinkSide<Message>) -> Message? {
        receiver.damagedInARow = 0
        guard let packet = sender.current else { return nil }
        return receiver.receive(packet, sequence: sender.sequence, expected: sender.expected)
    }
}

extension Duration {
    /// How many of another, begun ones too, fit into this one. Exact: an anchor point is missed or not.
    fileprivate func count(of other: Duration) -> Int {
        let (whole, part) = (nanoseconds, other.nanoseconds)
        return Int((whole + part - 1) / part)
    }

    private var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }
}

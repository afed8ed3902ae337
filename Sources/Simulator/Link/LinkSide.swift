/// Who of a link: the central starts each event, the peripheral answers.
public enum LinkRole: Hashable, Sendable {
    case central, peripheral

    var other: LinkRole { self == .central ? .peripheral : .central }
}

/// What one controller of a link holds: its queue, the packet that is not acknowledged yet, and the two bits by which
/// nothing is lost or taken twice (Core specification, Vol 6 Part B 4.5.9).
struct LinkSide<Payload: Sendable>: Sendable {
    struct Packet: Sendable {
        /// Of the payload.
        let bytes: Int
        /// With the last fragment of a message; nil with the others, and in an empty packet.
        let message: Payload?

        static var empty: Packet { Packet(bytes: 0, message: nil) }
    }

    private var queue: [(message: Payload, bytesLeft: Int)] = []
    /// Sent, perhaps several times, until the other side acknowledges it.
    private(set) var current: Packet?
    /// SN of the current packet.
    private(set) var sequence = false
    /// NESN: SN of the packet that is wanted next.
    private(set) var expected = false
    /// Packets that arrived damaged, one after the other, in this event.
    var damagedInARow = 0

    var isQueueEmpty: Bool { queue.isEmpty }

    mutating func add(_ message: Payload, bytes: Int) { queue.append((message, bytes)) }

    /// Bytes of the packet that would go next.
    func nextBytes(_ dataLength: Int) -> Int {
        current?.bytes ?? queue.first.map { min(dataLength, $0.bytesLeft) } ?? 0
    }

    /// What goes on the air now: the same again where it is not acknowledged.
    mutating func packet(_ dataLength: Int, hasRoom: Bool = true) -> Packet {
        if let current { return current }
        let packet = hasRoom ? nextFragment(dataLength) : .empty
        current = packet
        return packet
    }

    private mutating func nextFragment(_ dataLength: Int) -> Packet {
        guard let first = queue.first else { return .empty }
        let bytes = min(dataLength, first.bytesLeft)
        guard bytes == first.bytesLeft else {
            queue[0].bytesLeft -= bytes
            return Packet(bytes: bytes, message: nil)
        }
        return Packet(bytes: bytes, message: queue.removeFirst().message)
    }

    /// Takes a packet of the other side that arrived whole.
    ///
    /// - Parameters:
    ///   - sequence: its SN.
    ///   - expected: its NESN.
    /// - Returns: the message that ended with it.
    mutating func receive(_ packet: Packet, sequence: Bool, expected: Bool) -> Payload? {
        if current != nil, expected != self.sequence {
            current = nil
            self.sequence.toggle()
        }
        // What comes again was there before: its acknowledgement was lost.
        guard sequence == self.expected else { return nil }
        self.expected.toggle()
        return packet.message
    }
}

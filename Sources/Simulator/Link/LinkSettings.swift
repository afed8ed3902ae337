/// How bytes go on the air, uncoded (Core specification, Vol 6 Part B 2.1).
public enum PhysicalLayer: String, CaseIterable, Hashable, Sendable {
    case le1M = "1M"
    case le2M = "2M"

    var preambleBytes: Int { self == .le1M ? 1 : 2 }
    var byteTime: Duration { .microseconds(self == .le1M ? 8 : 4) }
}

/// What the two controllers and the two stacks agreed on for one link, and how good the air is.
public struct LinkSettings: Hashable, Sendable {
    /// From one connection event to the next: 7.5 ms to 4 s, in steps of 1.25 ms.
    public var interval: Duration
    /// Packets of each side in one event at most, empty ones too; nil: as many as the interval has room for.
    public var packetsPerEvent: Int?
    /// Bytes of the longest payload of a link-layer packet: 27, or up to 251 with the data length extension.
    public var dataLength: Int
    public var physicalLayer: PhysicalLayer
    /// Bytes of the longest ATT packet, 23 to 517.
    public var maximumTransmissionUnit: Int
    /// An encrypted link's packets carry a message integrity check of 4 bytes, empty ones excepted.
    public var isEncrypted: Bool
    /// The share of all packets, either way, that arrive damaged: 0 up to 1, 1 excluded.
    public var loss: Double

    public init(
        interval: Duration, packetsPerEvent: Int? = nil, dataLength: Int = 251, physicalLayer: PhysicalLayer = .le1M,
        maximumTransmissionUnit: Int = 247, isEncrypted: Bool = true, loss: Double = 0
    ) {
        self.interval = interval
        self.packetsPerEvent = packetsPerEvent
        self.dataLength = dataLength
        self.physicalLayer = physicalLayer
        self.maximumTransmissionUnit = maximumTransmissionUnit
        self.isEncrypted = isEncrypted
        self.loss = loss
    }

    /// Bytes of the longest value that a write without response carries (Vol 3 Part F 3.2.9, 3.4.5.3).
    public var longestCommand: Int { min(maximumTransmissionUnit - 3, 512) }
}

/// How long packets are on the air.
extension LinkSettings {
    /// T_IFS, between two packets of one event (Core specification, Vol 6 Part B 4.1.1).
    static let interFrameSpace = Duration.microseconds(150)
    /// Length and channel of a basic L2CAP frame (Vol 3 Part A 3.1).
    static let frameHeader = 4
    private static let accessAddress = 4
    private static let packetHeader = 2
    private static let integrityCheck = 4
    private static let checksum = 3

    /// From the first bit to the last (Vol 6 Part B 2.1).
    ///
    /// - Parameter bytes: of the payload; 0: an empty packet.
    func airTime(of bytes: Int) -> Duration {
        let check = bytes > 0 && isEncrypted ? Self.integrityCheck : 0
        return physicalLayer.byteTime
            * (physicalLayer.preambleBytes + Self.accessAddress + Self.packetHeader + bytes + check + Self.checksum)
    }

    /// Whether a packet of the central and the peripheral's answer fit in what is left of an event, which closes T_IFS
    /// before the next one (Vol 6 Part B 4.5.1).
    ///
    /// - Parameter time: of the central's first bit, from the start of the event.
    func hasRoom(for central: Int, and peripheral: Int, at time: Duration) -> Bool {
        time + airTime(of: central) + Self.interFrameSpace + airTime(of: peripheral) + Self.interFrameSpace <= interval
    }

    /// The payloads that an ATT packet is cut into.
    func fragments(ofPacket bytes: Int) -> [Int] {
        let frame = Self.frameHeader + bytes
        return (0..<(frame + dataLength - 1) / dataLength).map { min(dataLength, frame - $0 * dataLength) }
    }
}

internal import ControlProtocol
internal import Ears

/// How a file is cut for the link that it goes over. Nothing here is a constant of the device: MTU and the endpoint's
/// limit come from the ears, a message's overhead from its encoding. What a length is worth on the air, which depends on
/// things that BlueZ does not tell, is found by trying (``MessageTrial``).
public struct UploadPlan: Hashable, Sendable {
    /// Bytes of the file.
    public let size: Int
    /// Bytes of the largest message, for each length that is worth a try in the exchange form: the one that takes the
    /// fewest round trips for its data first, a long write of whole parts last.
    public let messageLimits: [Int]

    /// - Parameters:
    ///   - maximumTransmissionUnit: the link's ATT MTU.
    ///   - requestLimit: bytes of the largest request that the endpoint takes.
    public init(size: Int, maximumTransmissionUnit: Int, requestLimit: Int) {
        self.size = size
        let mtu = max(Self.minimumTransmissionUnit, maximumTransmissionUnit)
        let longest = min(requestLimit, EarsLimits.attributeBytes)
        let single = min(mtu - Self.writeOverhead, longest)
        let part = mtu - Self.prepareOverhead
        // Round trips: a write and a read, against the parts of a long write, their execution and a read.
        func worth(_ limit: Int) -> Double {
            let trips = limit <= mtu - Self.writeOverhead ? 2 : (limit + part - 1) / part + 2
            return Double(Self.worstChunk(limit, size)) / Double(trips)
        }
        var seen: Set<Int> = []
        let promising = [single, Self.fillingPackets(single), longest].sorted { worth($0) > worth($1) }
        let wholeParts = longest > part ? [longest / part * part] : []
        messageLimits = (promising + wholeParts).filter {
            Self.worstChunk($0, size) > 0 && seen.insert($0).inserted
        }
    }

    /// Bytes of data in the chunk at an offset; 0 at the end, or where no message has room for data.
    ///
    /// - Parameter messageLimit: one of ``messageLimits``.
    public func chunk(at offset: Int, session: UInt32, messageLimit: Int) -> Int {
        min(
            size - offset,
            UpdateRequest.largestChunk(
                session: session, offset: UInt32(clamping: offset), messageLimit: messageLimit))
    }

    /// Whether a message of this link has room for data at all.
    public var isPossible: Bool { !messageLimits.isEmpty }

    /// The longest value that fills the link layer's longest packets to the last byte, where it needs more than one: a
    /// rest would take a packet of its own.
    ///
    /// BlueZ tells nobody how long the link's packets are. Without the data length extension, at 27 bytes, such a value
    /// still moves nine tenths of what the best one would.
    ///
    /// - Parameter limit: bytes of the longest value.
    public static func fillingPackets(_ limit: Int) -> Int {
        let frame = limit + writeOverhead + frameHeader
        guard frame > longestPacket else { return limit }
        return frame / longestPacket * longestPacket - writeOverhead - frameHeader
    }

    private static func worstChunk(_ messageLimit: Int, _ size: Int) -> Int {
        UpdateRequest.largestChunk(session: .max, offset: UInt32(clamping: size), messageLimit: messageLimit)
    }

    /// Core specification, Vol 3 Part G 5.2.1.
    private static let minimumTransmissionUnit = 23
    /// Opcode and handle of ATT_WRITE_REQ and ATT_WRITE_CMD, bytes.
    private static let writeOverhead = 3
    /// Opcode, handle and offset of ATT_PREPARE_WRITE_REQ, bytes.
    private static let prepareOverhead = 5
    /// Length and channel of an L2CAP frame, bytes (Vol 3 Part A 3.1).
    private static let frameHeader = 4
    /// Bytes of a link-layer packet's payload with the data length extension (Vol 6 Part B 2.4).
    private static let longestPacket = 251
}

internal import ControlProtocol
internal import Ears

/// How a file is cut for the link that it goes over. Nothing here is a constant of the device: MTU and the endpoint's
/// limit come from the ears, a message's overhead from its encoding.
public struct UploadPlan: Hashable, Sendable {
    /// Bytes of the file.
    public let size: Int
    /// Bytes of the largest message.
    public let messageLimit: Int

    /// - Parameters:
    ///   - maximumTransmissionUnit: the link's ATT MTU.
    ///   - requestLimit: bytes of the largest request that the endpoint takes.
    public init(size: Int, maximumTransmissionUnit: Int, requestLimit: Int) {
        self.size = size
        let mtu = max(Self.minimumTransmissionUnit, maximumTransmissionUnit)
        let longest = min(requestLimit, EarsLimits.attributeBytes)
        let single = min(mtu - Self.writeOverhead, longest)
        let longWriteParts = (longest + mtu - Self.prepareOverhead - 1) / (mtu - Self.prepareOverhead)
        // Round trips: a write and a read, against the parts of a long write, their execution and a read.
        let bySingle = Double(Self.worstChunk(single, size)) / 2
        let byLong = Double(Self.worstChunk(longest, size)) / Double(longWriteParts + 2)
        messageLimit = bySingle >= byLong ? single : longest
    }

    /// Bytes of data in the chunk at an offset; 0 at the end, or where no message has room for data.
    public func chunk(at offset: Int, session: UInt32) -> Int {
        min(
            size - offset,
            UpdateRequest.largestChunk(
                session: session, offset: UInt32(clamping: offset), messageLimit: messageLimit))
    }

    /// Whether a message of this link has room for data at all.
    public var isPossible: Bool { Self.worstChunk(messageLimit, size) > 0 }

    private static func worstChunk(_ messageLimit: Int, _ size: Int) -> Int {
        UpdateRequest.largestChunk(session: .max, offset: UInt32(clamping: size), messageLimit: messageLimit)
    }

    /// Core specification, Vol 3 Part G 5.2.1.
    private static let minimumTransmissionUnit = 23
    /// Opcode and handle of ATT_WRITE_REQ, bytes.
    private static let writeOverhead = 3
    /// Opcode, handle and offset of ATT_PREPARE_WRITE_REQ, bytes.
    private static let prepareOverhead = 5
}

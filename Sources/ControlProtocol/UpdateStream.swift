/// A part of the image, written without response to the stream characteristic: it belongs to the session that is open on
/// the link.
public struct StreamChunk: Hashable, Sendable {
    /// Bytes from the start of the file.
    public var offset: UInt32
    public var data: [UInt8]

    public init(offset: UInt32, data: [UInt8]) {
        self.offset = offset
        self.data = data
    }
}

/// How far the ears have come, and how far may be sent, notified by the stream characteristic.
public struct StreamCredit: Hashable, Sendable {
    /// 0: none is open.
    public var session: UInt32
    public var state: UpdateState
    /// Bytes from the start of the file.
    public var nextOffset: UInt32
    /// Bytes from the start of the file up to which may be sent; it never goes back within a session.
    public var creditEnd: UInt32
    /// ``UpdateRefusal/wrongOffset``: something before what came is missing, and what came was dropped.
    public var refusal: UpdateRefusal?
    /// `esp_err_t`; 0: none.
    public var deviceError: UInt32

    public init(
        session: UInt32, state: UpdateState, nextOffset: UInt32, creditEnd: UInt32, refusal: UpdateRefusal? = nil,
        deviceError: UInt32 = 0
    ) {
        self.session = session
        self.state = state
        self.nextOffset = nextOffset
        self.creditEnd = creditEnd
        self.refusal = refusal
        self.deviceError = deviceError
    }
}

extension StreamChunk: MergingMessage {
    static let unset = StreamChunk(offset: 0, data: [])
    private static let dataField: UInt32 = 2

    public init(from reader: inout WireReader) throws(WireError) {
        try self.init(merging: &reader)
    }

    mutating func read(_ field: WireField, from reader: inout WireReader) throws(WireError) {
        switch field.number {
        case 1: try reader.uint32(field, into: &offset)
        case Self.dataField: try reader.bytes(field, into: &data)
        default: try reader.skip(field)
        }
    }

    public func write(to writer: inout WireWriter) {
        writer.uint32(1, offset)
        writer.bytes(Self.dataField, data)
    }

    /// The most bytes of data with which a chunk at `offset`, encoded, has at most `messageLimit` bytes; computed from
    /// the encoding, 0 where there is no room for any.
    public static func largestData(offset: UInt32, messageLimit: Int) -> Int {
        let fixed = StreamChunk(offset: offset, data: []).encoded().count
        var data = max(0, messageLimit - fixed)
        while data > 0, fixed + WireWriter.lengthDelimitedSize(dataField, contentBytes: data) > messageLimit {
            data -= 1
        }
        return data
    }
}

extension StreamCredit: MergingMessage {
    static let unset = StreamCredit(session: 0, state: .idle, nextOffset: 0, creditEnd: 0)

    public init(from reader: inout WireReader) throws(WireError) {
        try self.init(merging: &reader)
    }

    mutating func read(_ field: WireField, from reader: inout WireReader) throws(WireError) {
        switch field.number {
        case 1: try reader.uint32(field, into: &session)
        case 2: try reader.enumeration(field, into: &state)
        case 3: try reader.uint32(field, into: &nextOffset)
        case 4: try reader.uint32(field, into: &creditEnd)
        case 5:
            var number = refusal?.number ?? 0
            try reader.uint32(field, into: &number)
            refusal = number == 0 ? nil : UpdateRefusal(number: number)
        case 6: try reader.uint32(field, into: &deviceError)
        default: try reader.skip(field)
        }
    }

    public func write(to writer: inout WireWriter) {
        writer.uint32(1, session)
        writer.enumeration(2, state)
        writer.uint32(3, nextOffset)
        writer.uint32(4, creditEnd)
        if let refusal { writer.enumeration(5, refusal) }
        writer.uint32(6, deviceError)
    }
}

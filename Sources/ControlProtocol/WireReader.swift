enum WireType: UInt8, Sendable {
    case varint = 0
    case fixed64 = 1
    case lengthDelimited = 2
    case startGroup = 3
    case endGroup = 4
    case fixed32 = 5
}

struct WireField: Hashable, Sendable {
    var number: UInt32
    var wireType: WireType
    /// Of the tag, from the message's start.
    var offset: Int
}

/// Reads protobuf fields from bytes, within limits. One reader goes through a message and all that lies in it.
public struct WireReader: Sendable {
    private let bytes: ArraySlice<UInt8>
    private let limits: DecodingLimits
    private(set) var offset = 0
    private var end: Int
    private var depth = 0
    private var elements = 0

    init(_ bytes: ArraySlice<UInt8>, limits: DecodingLimits) throws(WireError) {
        guard bytes.count <= limits.bytes else {
            throw .tooManyBytes(found: bytes.count, limit: limits.bytes)
        }
        self.bytes = bytes
        self.limits = limits
        end = bytes.count
    }

    var isAtEnd: Bool { offset == end }

    /// The next field of the current message, nil at its end.
    mutating func nextField() throws(WireError) -> WireField? {
        guard !isAtEnd else { return nil }
        let field = try readTag()
        guard field.wireType != .endGroup else { throw .unmatchedEndOfGroup(offset: field.offset) }
        return field
    }

    mutating func skip(_ field: WireField) throws(WireError) {
        switch field.wireType {
        case .varint: _ = try readVarint()
        case .fixed64: try advance(by: 8)
        case .fixed32: try advance(by: 4)
        case .lengthDelimited: try advance(by: readLength())
        case .startGroup: try skipGroup(field)
        case .endGroup: throw .unmatchedEndOfGroup(offset: field.offset)
        }
    }

    /// Skips a field that this build does not know and keeps its bytes, so that they can be written again.
    mutating func keep(_ field: WireField, in unknown: inout [UInt8]) throws(WireError) {
        try skip(field)
        unknown += bytes[bytes.startIndex + field.offset..<bytes.startIndex + offset]
    }

    mutating func readVarint() throws(WireError) -> UInt64 {
        let start = offset
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 70, by: 7) {
            let byte = try readByte()
            guard shift < 63 || byte <= 1 else { throw .varintTooLong(offset: start) }
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return value }
        }
        throw .varintTooLong(offset: start)
    }

    mutating func readBytes() throws(WireError) -> ArraySlice<UInt8> {
        let count = try readLength()
        let start = bytes.startIndex + offset
        try advance(by: count)
        return bytes[start..<start + count]
    }

    /// Bounds the reader to the length-delimited content that follows; gives the bound to return to.
    mutating func enter() throws(WireError) -> Int {
        let outerEnd = end
        let count = try readLength()
        guard count <= end - offset else { throw .truncated(offset: offset) }
        end = offset + count
        return outerEnd
    }

    mutating func leave(to outerEnd: Int) {
        end = outerEnd
    }

    mutating func descend() throws(WireError) {
        guard depth < limits.depth else { throw .tooDeep(offset: offset, limit: limits.depth) }
        depth += 1
    }

    mutating func ascend() {
        depth -= 1
    }

    mutating func countElement() throws(WireError) {
        guard elements < limits.elements else { throw .tooManyElements(offset: offset, limit: limits.elements) }
        elements += 1
    }

    private mutating func readTag() throws(WireError) -> WireField {
        let start = offset
        guard let tag = UInt32(exactly: try readVarint()), tag >> 3 != 0,
            let wireType = WireType(rawValue: UInt8(tag & 7))
        else { throw .invalidTag(offset: start) }
        return WireField(number: tag >> 3, wireType: wireType, offset: start)
    }

    private mutating func skipGroup(_ group: WireField) throws(WireError) {
        try descend()
        while true {
            let field = try readTag()
            guard field.wireType == .endGroup else {
                try skip(field)
                continue
            }
            guard field.number == group.number else { throw .unmatchedEndOfGroup(offset: field.offset) }
            return ascend()
        }
    }

    private mutating func readByte() throws(WireError) -> UInt8 {
        let index = bytes.startIndex + offset
        try advance(by: 1)
        return bytes[index]
    }

    private mutating func readLength() throws(WireError) -> Int {
        let start = offset
        guard let length = Int(exactly: try readVarint()) else { throw .truncated(offset: start) }
        return length
    }

    private mutating func advance(by count: Int) throws(WireError) {
        guard count <= end - offset else { throw .truncated(offset: offset) }
        offset += count
    }
}

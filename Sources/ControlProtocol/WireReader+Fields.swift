/// Each reads a field into a value if it has that value's wire type, and else skips it as unknown.
extension WireReader {
    /// More than 32 bits are cut off, as protobuf has it.
    mutating func uint32(_ field: WireField, into value: inout UInt32) throws(WireError) {
        guard field.wireType == .varint else { return try skip(field) }
        value = UInt32(truncatingIfNeeded: try readVarint())
    }

    mutating func uint32(_ field: WireField, into value: inout UInt32?) throws(WireError) {
        guard field.wireType == .varint else { return try skip(field) }
        value = UInt32(truncatingIfNeeded: try readVarint())
    }

    mutating func sint32(_ field: WireField, into value: inout Int32) throws(WireError) {
        guard field.wireType == .varint else { return try skip(field) }
        let zigzag = UInt32(truncatingIfNeeded: try readVarint())
        value = Int32(bitPattern: zigzag >> 1) ^ -Int32(zigzag & 1)
    }

    mutating func bool(_ field: WireField, into value: inout Bool) throws(WireError) {
        guard field.wireType == .varint else { return try skip(field) }
        value = try readVarint() != 0
    }

    mutating func enumeration<E: WireEnumeration>(_ field: WireField, into value: inout E) throws(WireError) {
        guard field.wireType == .varint else { return try skip(field) }
        value = E(number: UInt32(truncatingIfNeeded: try readVarint()))
    }

    mutating func bytes(_ field: WireField, into value: inout [UInt8]) throws(WireError) {
        guard field.wireType == .lengthDelimited else { return try skip(field) }
        value = Array(try readBytes())
    }

    mutating func string(_ field: WireField, into value: inout String) throws(WireError) {
        guard field.wireType == .lengthDelimited else { return try skip(field) }
        value = try readString()
    }

    mutating func strings(_ field: WireField, into values: inout [String]) throws(WireError) {
        guard field.wireType == .lengthDelimited else { return try skip(field) }
        try countElement()
        values.append(try readString())
    }

    /// Packed and unpacked.
    mutating func uint32s(_ field: WireField, into values: inout [UInt32]) throws(WireError) {
        switch field.wireType {
        case .varint: try appendElement(to: &values)
        case .lengthDelimited:
            let outerEnd = try enter()
            while !isAtEnd { try appendElement(to: &values) }
            leave(to: outerEnd)
        case .fixed64, .startGroup, .endGroup, .fixed32: try skip(field)
        }
    }

    mutating func message<M: MergingMessage>(_ field: WireField, into message: inout M) throws(WireError) {
        guard let merged = try member(field, merging: message) else { return }
        message = merged
    }

    mutating func message<M: MergingMessage>(_ field: WireField, into message: inout M?) throws(WireError) {
        message = try member(field, merging: message) ?? message
    }

    mutating func messages<M: MergingMessage>(_ field: WireField, into messages: inout [M]) throws(WireError) {
        guard let message = try member(field, merging: M?.none) else { return }
        try countElement()
        messages.append(message)
    }

    /// A member of a `oneof`: merged into `current` where that member is the one set; nil if skipped.
    mutating func member<M: MergingMessage>(_ field: WireField, merging current: M?) throws(WireError) -> M? {
        guard field.wireType == .lengthDelimited else {
            try skip(field)
            return nil
        }
        var message = current ?? .unset
        try descend()
        let outerEnd = try enter()
        try message.merge(from: &self)
        leave(to: outerEnd)
        ascend()
        return message
    }

    private mutating func appendElement(to values: inout [UInt32]) throws(WireError) {
        try countElement()
        values.append(UInt32(truncatingIfNeeded: try readVarint()))
    }

    private mutating func readString() throws(WireError) -> String {
        let start = offset
        guard let string = String(validating: try readBytes(), as: UTF8.self) else {
            throw .invalidUTF8(offset: start)
        }
        return string
    }
}

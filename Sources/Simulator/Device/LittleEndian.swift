extension [UInt8] {
    /// The caller has checked that the bytes are there.
    func littleEndian<Integer: FixedWidthInteger>(at offset: Int, as type: Integer.Type = Integer.self) -> Integer {
        withUnsafeBytes { Integer(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: Integer.self)) }
    }

    mutating func append<Integer: FixedWidthInteger>(littleEndian value: Integer) {
        Swift.withUnsafeBytes(of: value.littleEndian) { append(contentsOf: $0) }
    }

    mutating func set<Integer: FixedWidthInteger>(littleEndian value: Integer, at offset: Int) {
        Swift.withUnsafeBytes(of: value.littleEndian) { replaceSubrange(offset..<offset + $0.count, with: $0) }
    }

    /// The bytes of `text`, cut or filled up with NUL to `length`.
    mutating func append(text: String, paddedTo length: Int) {
        let bytes = text.utf8.prefix(length)
        append(contentsOf: bytes)
        append(contentsOf: repeatElement(0, count: length - bytes.count))
    }

    /// Text of a fixed field, up to its first NUL.
    func text(in range: Range<Int>) -> String {
        String(decoding: self[range].prefix { $0 != 0 }, as: UTF8.self)
    }
}

/// A simple property's value, laid out as in Espressif's example.
public enum PropertyScalar: Hashable, Sendable {
    /// Eight bytes, little endian.
    case timestamp(Int64)
    /// Four bytes, little endian.
    case int32(Int32)
    /// One byte, 0 or 1.
    case boolean(Bool)
    /// UTF-8, no terminating NUL.
    case string(String)
}

/// Why a property's bytes are not a value of its type.
public enum PropertyScalarError: Error, Hashable, Sendable {
    /// The type has no scalar form, or this build does not know it.
    case notAScalar(PropertyType)
    /// Sizes in bytes.
    case wrongSize(expected: Int, found: Int)
    case notABoolean(UInt8)
    case invalidUTF8
}

extension PropertyScalar {
    public var type: PropertyType {
        switch self {
        case .timestamp: .timestamp
        case .int32: .int32
        case .boolean: .boolean
        case .string: .string
        }
    }

    public init(decoding value: [UInt8], as type: PropertyType) throws(PropertyScalarError) {
        switch type {
        case .timestamp: self = .timestamp(try Self.littleEndian(value))
        case .int32: self = .int32(try Self.littleEndian(value))
        case .boolean:
            let byte: UInt8 = try Self.littleEndian(value)
            guard byte <= 1 else { throw .notABoolean(byte) }
            self = .boolean(byte == 1)
        case .string:
            guard let string = String(validating: value, as: UTF8.self) else { throw .invalidUTF8 }
            self = .string(string)
        default: throw .notAScalar(type)
        }
    }

    public func encoded() -> [UInt8] {
        switch self {
        case .timestamp(let value): Self.bytes(value)
        case .int32(let value): Self.bytes(value)
        case .boolean(let value): [value ? 1 : 0]
        case .string(let value): Array(value.utf8)
        }
    }

    private static func littleEndian<I: FixedWidthInteger>(_ bytes: [UInt8]) throws(PropertyScalarError) -> I {
        let expected = I.bitWidth / 8
        guard bytes.count == expected else { throw .wrongSize(expected: expected, found: bytes.count) }
        return bytes.reversed().reduce(I.zero) { value, byte in value << 8 | I(truncatingIfNeeded: byte) }
    }

    private static func bytes<I: FixedWidthInteger>(_ value: I) -> [UInt8] {
        (0..<I.bitWidth / 8).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
}

internal import ControlProtocol

/// A setting's value, told apart by what the ears say of its kind.
public enum SettingValue: Hashable, Sendable {
    case boolean(Bool)
    case integer(Int64)
    case text(String)
    /// One of an enumeration's choices.
    case choice(String)
    /// A structured value, or one of a kind that this build does not know.
    case bytes([UInt8])
}

extension SettingValue: CustomStringConvertible {
    /// As it is typed: what ``Setting/parse(_:)`` takes back.
    public var description: String {
        switch self {
        case .boolean(let value): value ? "on" : "off"
        case .integer(let value): String(value)
        case .text(let value), .choice(let value): value
        case .bytes(let value): value.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        }
    }
}

extension SettingValue {
    /// What a property's bytes mean.
    ///
    /// - Throws: bytes that the property's own type does not allow.
    init(decoding property: PropertyInfo, kind: SettingKind?) throws(WireFault) {
        let malformed = WireFault.malformedProperty(property.name)
        switch property.type {
        case .boolean:
            guard property.value.count == 1, property.value[0] <= 1 else { throw malformed }
            self = .boolean(property.value[0] == 1)
        case .int32, .timestamp:
            let width = property.type == .int32 ? 4 : 8
            guard let number = Self.littleEndian(property.value, width: width) else { throw malformed }
            self = try Self.named(number, kind: kind, malformed)
        case .string:
            guard let text = String(validating: property.value, as: UTF8.self) else { throw malformed }
            if case .enumeration = kind { self = .choice(text) } else { self = .text(text) }
        default:
            self = .bytes(property.value)
        }
    }

    /// An enumeration that is kept as a number is the place among its choices.
    private static func named(
        _ number: Int64, kind: SettingKind?, _ malformed: WireFault
    ) throws(WireFault) -> SettingValue {
        guard case .enumeration(let choices) = kind else { return .integer(number) }
        guard (0..<Int64(choices.count)).contains(number) else { throw malformed }
        return .choice(choices[Int(number)])
    }

    private static func littleEndian(_ bytes: [UInt8], width: Int) -> Int64? {
        guard bytes.count == width else { return nil }
        let bits = bytes.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return width == 4 ? Int64(Int32(truncatingIfNeeded: bits)) : Int64(bitPattern: bits)
    }
}

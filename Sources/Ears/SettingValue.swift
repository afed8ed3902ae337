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
        let scalar: PropertyScalar
        do { scalar = try PropertyScalar(decoding: property.value, as: property.type) } catch {
            guard case .notAScalar = error else { throw .malformedProperty(property.name) }
            self = .bytes(property.value)
            return
        }
        guard let value = Self(scalar, kind: kind) else { throw .malformedProperty(property.name) }
        self = value
    }

    /// An enumeration is kept as its choice's text, or as the place among its choices.
    private init?(_ scalar: PropertyScalar, kind: SettingKind?) {
        switch (scalar, kind) {
        case (.int32(let place), .enumeration(let choices)):
            guard choices.indices.contains(Int(place)) else { return nil }
            self = .choice(choices[Int(place)])
        case (.string(let text), .enumeration): self = .choice(text)
        case (.boolean(let value), _): self = .boolean(value)
        case (.int32(let number), _): self = .integer(Int64(number))
        case (.timestamp(let number), _): self = .integer(number)
        case (.string(let text), _): self = .text(text)
        }
    }
}

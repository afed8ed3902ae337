public import ControlProtocol

/// A setting's value, told apart by what the ears say of its kind.
public enum SettingValue: Hashable, Sendable {
    case boolean(Bool)
    case integer(Int64)
    case text(String)
    /// One of an enumeration's choices.
    case choice(String)
    /// Of an effect: some of its parameters, or all.
    case parameters(EffectParameters)
    case palette(Palette)
    /// Of a secret, once it was sent.
    case hidden
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
        case .parameters(let parameters): parameters.values.map(\.inWords).joined(separator: " ")
        case .palette(let palette): palette.inWords
        case .hidden: "(hidden)"
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
            guard let value = Self(message: property.value, kind: kind) else {
                throw .malformedProperty(property.name)
            }
            self = value
            return
        }
        guard let value = Self(scalar, kind: kind) else { throw .malformedProperty(property.name) }
        self = value
    }

    /// Nil where the bytes are not the message that the kind has.
    private init?(message bytes: [UInt8], kind: SettingKind?) {
        switch kind {
        case .effect:
            guard let parameters = try? EffectParameters(decoding: bytes) else { return nil }
            self = .parameters(parameters)
        case .palette:
            guard let palette = try? Palette(decoding: bytes) else { return nil }
            self = .palette(palette)
        default: self = .bytes(bytes)
        }
    }

    /// Whether this value, as it was read, has what another one asked for: of an effect's parameters those in it.
    func fulfils(_ wanted: SettingValue) -> Bool {
        guard case .parameters(let wanted) = wanted, case .parameters(let read) = self else { return self == wanted }
        return wanted.values.allSatisfy(read.values.contains)
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

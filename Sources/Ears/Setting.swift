public import ControlProtocol

/// A setting as the ears describe it, with its value when it was read.
public struct Setting: Hashable, Sendable {
    public var name: String
    /// Nil where the ears give no description: a property that local control alone knows.
    public var descriptor: SettingDescriptor?
    /// Nil where it cannot be read: write only.
    public var value: SettingValue?
    public var isReadOnly: Bool
    /// The capability that it needs and these ears lack.
    public var missingCapability: String?

    let index: UInt32
    let type: PropertyType

    /// Ends at *applied*, is never saved.
    public var isTemporary: Bool { descriptor?.isTemporary ?? false }

    init(_ property: PropertyInfo, index: UInt32, descriptor: SettingDescriptor?, capabilities: Capabilities)
        throws(WireFault)
    {
        name = property.name
        self.descriptor = descriptor
        self.index = index
        type = property.type
        isReadOnly = property.flags.contains(.readOnly)
        let isWriteOnly = property.flags.contains(.writeOnly)
        value = isWriteOnly ? nil : try SettingValue(decoding: property, kind: descriptor?.kind)
        let needed = descriptor?.capability ?? ""
        missingCapability = needed.isEmpty || capabilities.names.contains(needed) ? nil : needed
    }

    /// The value that a text stands for, checked against the ears' description.
    ///
    /// A boolean is `on`, `off`, `true`, `false`, `yes`, `no`, `1` or `0`; a structured value is pairs of hex digits.
    public func parse(_ text: String) throws(SettingError) -> SettingValue {
        let value = try reading(text)
        _ = try encode(value)
        return value
    }

    private func reading(_ text: String) throws(SettingError) -> SettingValue {
        if case .enumeration = descriptor?.kind { return .choice(text) }
        switch type {
        case .boolean:
            guard let value = Self.booleans[text.lowercased()] else { throw error(.notABoolean) }
            return .boolean(value)
        case .int32, .timestamp:
            guard let value = Int64(text) else { throw error(.notAnInteger) }
            return .integer(value)
        case .string: return .text(text)
        default:
            guard let bytes = Self.bytes(text) else { throw error(.notHexadecimal) }
            return .bytes(bytes)
        }
    }

    func error(_ reason: SettingError.Reason) -> SettingError { SettingError(setting: name, reason: reason) }

    private static let booleans = [
        "on": true, "true": true, "yes": true, "1": true, "off": false, "false": false, "no": false, "0": false,
    ]

    private static func bytes(_ text: String) -> [UInt8]? {
        let digits = text.utf8.map { Character(Unicode.Scalar($0)).hexDigitValue }
        guard digits.count.isMultiple(of: 2), !digits.contains(nil) else { return nil }
        let known = digits.compactMap { $0 }
        return stride(from: 0, to: known.count, by: 2).map { UInt8(known[$0] << 4 | known[$0 + 1]) }
    }
}

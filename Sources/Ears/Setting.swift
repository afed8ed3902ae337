public import ControlProtocol

/// A setting as the ears describe it, with its value when it was read.
public struct Setting: Hashable, Sendable {
    public var name: String
    /// Nil where the ears give no description: a property that local control alone knows.
    public var descriptor: SettingDescriptor?
    /// Nil where it was not read, or cannot be: write only.
    public var value: SettingValue?
    public var isReadOnly: Bool
    public var isWriteOnly: Bool
    /// The capability that it needs and these ears lack.
    public var missingCapability: String?

    let index: UInt32
    let type: PropertyType
    private let capabilities: [String]

    /// Ends at *applied*, is never saved.
    public var isTemporary: Bool { descriptor?.isTemporary ?? false }
    /// Never shown, logged or given as an argument.
    public var isSecret: Bool { descriptor?.isSecret ?? false }

    init(
        _ property: PropertyInfo, index: UInt32, descriptor: SettingDescriptor?, capabilities: Capabilities,
        isRead: Bool = true
    ) throws(WireFault) {
        name = property.name
        self.descriptor = descriptor
        self.index = index
        type = property.type
        isReadOnly = property.flags.contains(.readOnly)
        isWriteOnly = property.flags.contains(.writeOnly)
        value = isWriteOnly || !isRead ? nil : try SettingValue(decoding: property, kind: descriptor?.kind)
        self.capabilities = capabilities.names
        missingCapability = nil
        missingCapability = lacks(descriptor?.capability ?? "")
    }

    /// A capability that is needed and not there; nil where none is needed, or it is there.
    public func lacks(_ capability: String) -> String? {
        capability.isEmpty || capabilities.contains(capability) ? nil : capability
    }

    /// The value that a text stands for, checked against the ears' description.
    ///
    /// A boolean is `on`, `off`, `true`, `false`, `yes`, `no`, `1` or `0`; an effect's parameters are
    /// `PARAMETER=VALUE…`; a palette is as ``PaletteText`` has it; another structured value is pairs of hex digits.
    /// - Throws: with what was typed in it.
    public func parse(_ text: String) throws(SettingError) -> SettingValue {
        do throws(SettingError) {
            guard !isSecret else { throw error(.secret) }
            if case .unknown = descriptor?.kind { throw error(.unknownKind) }
            let value = try reading(text)
            _ = try encode(value)
            return value
        } catch {
            guard !isSecret else { throw error }
            throw SettingError(setting: error.setting, reason: error.reason, typed: text, descriptor: descriptor)
        }
    }

    private func reading(_ text: String) throws(SettingError) -> SettingValue {
        switch descriptor?.kind {
        case .enumeration: return .choice(text)
        case .effect(let parameters):
            let words = text.split(separator: " ").map(String.init)
            return .parameters(try EffectText.parameters(words, of: parameters, for: self))
        case .palette:
            guard case .palette(let current) = value else { throw error(.wrongType) }
            do {
                return .palette(try PaletteText.palette(text.split(separator: " ").map(String.init), over: current))
            } catch { throw self.error(.palette(error)) }
        default: break
        }
        switch type {
        case .boolean:
            guard let value = Self.boolean(text) else { throw error(.notABoolean) }
            return .boolean(value)
        case .int32, .timestamp:
            guard let value = text.wholeNumber(unit: descriptor?.unit ?? "") else { throw error(.notAnInteger) }
            return .integer(value)
        case .string: return .text(text)
        default:
            guard let bytes = Self.bytes(text) else { throw error(.notHexadecimal) }
            return .bytes(bytes)
        }
    }

    static func boolean(_ text: String) -> Bool? { booleans[text.lowercased()] }

    func error(_ reason: SettingError.Reason) -> SettingError { SettingError(setting: name, reason: reason) }

    /// How a boolean is said, and shown.
    public static let switchWords = ["on", "off"]

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

extension String {
    /// A whole number as people type it: alone, or with its own unit directly behind it, as in `40%`.
    func wholeNumber(unit: String) -> Int64? {
        if let number = Int64(self) { return number }
        return !unit.isEmpty && hasSuffix(unit) ? Int64(dropLast(unit.count)) : nil
    }
}

import ControlProtocol

/// A setting of these ears: what its descriptor says, how it lies on the wire, what it starts with.
struct SettingDefinition: Hashable, Sendable {
    let descriptor: SettingDescriptor
    let type: PropertyType
    let flags: PropertyFlags
    /// As it is on the wire.
    let defaultValue: [UInt8]
    let isInRecovery: Bool

    var name: String { descriptor.setting }

    init(
        _ descriptor: SettingDescriptor, type: PropertyType, flags: PropertyFlags = [], defaultValue: [UInt8],
        isInRecovery: Bool = false
    ) {
        self.descriptor = descriptor
        self.type = type
        self.flags = flags
        self.defaultValue = defaultValue
        self.isInRecovery = isInRecovery
    }

    /// Nil where the bytes are a value that the setting can take.
    func refusal(of value: [UInt8], capabilities: [Capability]) -> SettingRefusalReason? {
        guard has(descriptor.capability, capabilities) else { return .capabilityMissing }
        switch descriptor.kind {
        case .effect(let parameters): return refusal(of: value, parameters, capabilities)
        case .palette(let stops, _):
            guard let palette = try? Palette(decoding: value) else { return .outOfRange }
            return palette.isSound(maximumStops: Int(stops)) ? nil : .outOfRange
        case .structured, .unknown: return nil
        default:
            guard let scalar = try? PropertyScalar(decoding: value, as: type), accepts(scalar) else {
                return .outOfRange
            }
            return nil
        }
    }

    /// What is in force once a value was written: an effect's parameters that are not in it keep theirs.
    func value(writing value: [UInt8], over old: [UInt8]) -> [UInt8] {
        guard case .effect = descriptor.kind, let changes = try? EffectParameters(decoding: value),
            var merged = try? EffectParameters(decoding: old)
        else { return value }
        for change in changes.values {
            guard let position = merged.values.firstIndex(where: { $0.name == change.name }) else { continue }
            merged.values[position] = change
        }
        return merged.encoded()
    }

    private func has(_ capability: String, _ capabilities: [Capability]) -> Bool {
        capability.isEmpty || capabilities.contains { $0.rawValue == capability }
    }

    private func refusal(
        of value: [UInt8], _ parameters: [EffectParameter], _ capabilities: [Capability]
    ) -> SettingRefusalReason? {
        guard let changes = try? EffectParameters(decoding: value) else { return .outOfRange }
        for change in changes.values {
            guard let parameter = parameters.first(where: { $0.name == change.name }) else { return .notFound }
            guard has(parameter.capability, capabilities) else { return .capabilityMissing }
            guard parameter.accepts(change.value) else { return .outOfRange }
        }
        return nil
    }

    private func accepts(_ value: PropertyScalar) -> Bool {
        switch (descriptor.kind, value) {
        case (.boolean, .boolean): true
        case (.integer(let minimum, let maximum, _), .int32(let number)): (minimum...maximum).contains(number)
        case (.enumeration(let choices), .string(let name)): choices.contains(name)
        case (.text(let minimum, let maximum), .string(let text)):
            (minimum...maximum).contains(UInt32(text.utf8.count))
                && (descriptor.isSecret ? text.isPassphrase : !text.steers)
        default: false
        }
    }
}

extension String {
    /// Control characters, line and paragraph separators, and what turns the direction of text.
    var steers: Bool {
        unicodeScalars.contains { scalar in
            switch scalar.value {
            case 0..<0x20, 0x7F...0x9F, 0x061C, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069: true
            default: false
            }
        }
    }

    /// Printable ASCII (IEEE 802.11, M.4.1).
    fileprivate var isPassphrase: Bool { utf8.allSatisfy { (0x20...0x7E).contains($0) } }
}

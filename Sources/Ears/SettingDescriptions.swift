internal import ControlProtocol

/// What the ears say of their settings and of themselves; it stays as it is while a link is up.
struct SettingDescriptions: Sendable {
    private let descriptors: [String: SettingDescriptor]
    private let capabilities: Capabilities

    /// - Parameter properties: all of them.
    init(_ properties: [PropertyInfo]) throws(WireFault) {
        descriptors = try Self.descriptors(properties)
        capabilities = try Self.capabilities(properties)
    }

    /// The settings among properties, by their indices.
    ///
    /// - Parameter areRead: whether the properties have the values that they have on the ears.
    func settings(
        _ properties: [(index: UInt32, property: PropertyInfo)], areRead: Bool = true
    ) throws(WireFault) -> [Setting] {
        var settings: [Setting] = []
        for (index, property) in properties where isSetting(property.name) {
            settings.append(
                try Setting(
                    property, index: index, descriptor: descriptors[property.name], capabilities: capabilities,
                    isRead: areRead))
        }
        return settings
    }

    /// What has a description is a setting, and what local control alone knows; a name with a dot and without a
    /// description is the protocol's own, of today or of a later time.
    func isSetting(_ name: String) -> Bool {
        if descriptors[name] != nil { return true }
        return !Self.protocolProperties.contains(name) && !name.contains(".")
    }

    private static let protocolProperties: Set = [
        PropertyName.device, PropertyName.capabilities, PropertyName.state, PropertyName.change,
    ]

    private static func descriptors(_ properties: [PropertyInfo]) throws(WireFault) -> [String: SettingDescriptor] {
        var descriptors: [String: SettingDescriptor] = [:]
        for property in properties where property.name.hasSuffix(PropertyName.descriptorSuffix) {
            let malformed = WireFault.malformedProperty(property.name)
            guard let descriptor = try? SettingDescriptor(decoding: property.value) else { throw malformed }
            guard descriptor.setting + PropertyName.descriptorSuffix == property.name else { throw malformed }
            descriptors[descriptor.setting] = descriptor
        }
        return descriptors
    }

    private static func capabilities(_ properties: [PropertyInfo]) throws(WireFault) -> Capabilities {
        guard let property = properties.first(where: { $0.name == PropertyName.capabilities }) else {
            return Capabilities(names: [])
        }
        guard let capabilities = try? Capabilities(decoding: property.value) else {
            throw .malformedProperty(property.name)
        }
        return capabilities
    }
}

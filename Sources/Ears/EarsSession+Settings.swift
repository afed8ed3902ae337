public import ControlProtocol

extension EarsSession {
    /// Property `device`, read afresh.
    public func deviceInformation() async throws(EarsError) -> DeviceInformation {
        let property = try await property(PropertyName.device)
        do { return try DeviceInformation(decoding: property.value) } catch {
            throw .wire(.malformedProperty(property.name))
        }
    }

    /// Property `capabilities`, read afresh.
    public func capabilities() async throws(EarsError) -> Capabilities {
        let property = try await property(PropertyName.capabilities)
        do { return try Capabilities(decoding: property.value) } catch {
            throw .wire(.malformedProperty(property.name))
        }
    }

    /// Property `state`, read afresh: revision, last change, battery.
    public func state() async throws(EarsError) -> EarsState {
        let property = try await property(PropertyName.state)
        do { return try EarsState(decoding: property.value) } catch {
            throw .wire(.malformedProperty(property.name))
        }
    }

    /// Every setting with its value, in the ears' order, those included that these ears lack the capability for.
    public func settings() async throws(EarsError) -> [Setting] {
        let properties = try await properties()
        do { return try Setting.all(properties) } catch { throw .wire(error) }
    }

    /// - Throws: ``SettingError`` for a name that these ears do not have, or not in this mode.
    public func setting(_ name: String) async throws(EarsError) -> Setting {
        try setting(name, among: try await settings())
    }

    nonisolated func setting(_ name: String, among settings: [Setting]) throws(EarsError) -> Setting {
        if let found = settings.first(where: { $0.name == name }) { return found }
        throw .setting(
            SettingError(setting: name, reason: mode == .recovery ? .wrongMode(.recovery) : .noSuchSetting))
    }
}

extension Setting {
    /// The settings among all properties: what is neither the protocol's own nor a description.
    static func all(_ properties: [PropertyInfo]) throws(WireFault) -> [Setting] {
        let descriptors = try descriptors(properties)
        let capabilities = try capabilities(properties)
        var settings: [Setting] = []
        for (index, property) in properties.enumerated() where isSetting(property.name) {
            settings.append(
                try Setting(
                    property, index: UInt32(index), descriptor: descriptors[property.name],
                    capabilities: capabilities))
        }
        return settings
    }

    private static func isSetting(_ name: String) -> Bool {
        !protocolProperties.contains(name) && !name.hasSuffix(PropertyName.descriptorSuffix)
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

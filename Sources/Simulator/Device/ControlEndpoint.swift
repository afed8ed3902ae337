import ControlProtocol

/// The control endpoint: Espressif's local control, with the ears' settings as its properties.
struct ControlEndpoint: Sendable {
    let ears: RunningEars
    var settings: SettingsStore

    var nextDeadline: Duration? { settings.nextDeadline }

    private var configuration: EarsConfiguration { ears.configuration }
    private var isRecovery: Bool { configuration.mode == .recovery }

    mutating func answer(_ request: LocalControlRequest, at now: Duration) -> LocalControlResponse {
        switch request {
        case .propertyCount: return .propertyCount(status: .success, count: count)
        case .propertyValues(let indices):
            let found = indices.compactMap { property($0).map(information) }
            guard found.count == indices.count else { return .propertyValues(status: .invalidArgument, properties: []) }
            return .propertyValues(status: .success, properties: found)
        case .setPropertyValues(let values):
            return .setPropertyValues(status: set(values, at: now) ? .success : .invalidArgument)
        }
    }

    /// In recovery there are no settings.
    private var count: UInt32 {
        ControlProperty.count(settings: isRecovery ? 0 : settings.definitions.count)
    }

    private func property(_ index: UInt32) -> ControlProperty? {
        index < count ? ControlProperty(index: index, settings: settings.definitions.count) : nil
    }

    // MARK: Reading

    private func information(_ property: ControlProperty) -> PropertyInfo {
        switch property {
        case .device: message("device", device.encoded())
        case .capabilities: message("capabilities", capabilities.encoded())
        case .state: message("state", state.encoded())
        case .change: PropertyInfo(name: "change", type: .message, flags: .writeOnly, value: [])
        case .setting(let position): setting(position)
        case .descriptor(let position):
            message(
                settings.definitions[position].name + ".descriptor", settings.definitions[position].descriptor.encoded()
            )
        }
    }

    private func message(_ name: String, _ value: [UInt8]) -> PropertyInfo {
        PropertyInfo(name: name, type: .message, flags: .readOnly, value: value)
    }

    private func setting(_ position: Int) -> PropertyInfo {
        let definition = settings.definitions[position]
        return PropertyInfo(name: definition.name, type: definition.type, value: settings.values[position])
    }

    private var device: DeviceInformation {
        DeviceInformation(
            family: ears.family, chip: configuration.family.chip.rawValue, firmwareVersion: ears.version,
            name: settings.name, hardwareRevision: "A", applicationProtocol: configuration.applicationProtocol)
    }

    private var capabilities: Capabilities {
        Capabilities(names: configuration.capabilities.map(\.rawValue))
    }

    private var state: EarsState {
        EarsState(
            revision: settings.revision, lastChange: settings.lastChange, lastRefusal: settings.lastRefusal,
            battery: configuration.battery)
    }

    // MARK: Setting

    /// All of it or nothing; false where it is refused. Why is in the state.
    private mutating func set(_ values: [PropertyValue], at now: Duration) -> Bool {
        var values = values[...]
        var request: ChangeRequest?
        if let first = values.first, property(first.index) == .change {
            guard let change = try? ChangeRequest(decoding: first.value), change.id != 0 else { return false }
            request = change
            values.removeFirst()
        }
        guard let first = values.first else { return false }
        if let reason = refusal(of: request) {
            settings.refuse(change: request?.id ?? 0, property: first.index, reason)
            return false
        }
        guard let changes = checked(values, change: request?.id ?? 0) else { return false }
        settings.begin(changes, properties: values.map(\.index), id: request?.id ?? 0, at: now)
        return true
    }

    /// What speaks against the change as a whole.
    private func refusal(of request: ChangeRequest?) -> SettingRefusalReason? {
        if isRecovery { return .wrongMode }
        if settings.isPending { return .busy }
        if let request, request.basedOnRevision != settings.revision { return .staleRevision }
        return nil
    }

    /// Nil where one is refused; the first is noted. Where a setting comes twice the last counts.
    private mutating func checked(_ values: ArraySlice<PropertyValue>, change id: UInt32) -> [Int: [UInt8]]? {
        var changes: [Int: [UInt8]] = [:]
        for value in values {
            guard let property = property(value.index) else { return nil }
            guard case .setting(let position) = property else {
                settings.refuse(change: id, property: value.index, .readOnly)
                return nil
            }
            let capabilities = configuration.capabilities
            if let reason = settings.definitions[position].refusal(of: value.value, capabilities: capabilities) {
                settings.refuse(change: id, property: value.index, reason)
                return nil
            }
            changes[position] = value.value
        }
        return changes
    }
}

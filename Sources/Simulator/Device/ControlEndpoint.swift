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
            let found = indices.compactMap { property($0).map { information($0, at: now) } }
            guard found.count == indices.count else { return .propertyValues(status: .invalidArgument, properties: []) }
            return .propertyValues(status: .success, properties: found)
        case .setPropertyValues(let values):
            return .setPropertyValues(status: set(values, at: now) ? .success : .invalidArgument)
        }
    }

    /// All of them, in the order of their indices.
    func properties(at now: Duration) -> [PropertyInfo] { table.map { information($0, at: now) } }

    private var table: [ControlProperty] { ControlProperty.table(configuration.mode, settings.definitions) }

    private var count: UInt32 { UInt32(table.count) }

    private func property(_ index: UInt32) -> ControlProperty? {
        index < count ? table[Int(index)] : nil
    }

    // MARK: Reading

    private func information(_ property: ControlProperty, at now: Duration) -> PropertyInfo {
        switch property {
        case .device: message("device", device.encoded())
        case .capabilities: message("capabilities", capabilities.encoded())
        case .state: message("state", state.encoded())
        case .change: command("change")
        case .setting(let position): setting(position)
        case .descriptor(let position):
            message(
                settings.definitions[position].name + ".descriptor", settings.definitions[position].descriptor.encoded()
            )
        case .savedPalette(let place):
            message(PaletteShelf.property(place), settings.palettes.saved[place]?.encoded() ?? [])
        case .builtInPalette(let place):
            message("palette.built-in.\(place)", PaletteShelf.builtIn[place].encoded())
        case .paletteCommand: command("palette.command")
        case .motionState: message("motion.state", settings.motion.state(at: now).encoded())
        case .motionCommand: command("motion.command")
        case .storageState: message("storage.state", settings.storage.state.encoded())
        case .storageCommand: command("storage.command")
        case .passwordIsSet:
            PropertyInfo(
                name: SettingDefinition.password + ".is-set", type: .boolean, flags: .readOnly,
                value: [settings.isPasswordSet ? 1 : 0])
        }
    }

    private func message(_ name: String, _ value: [UInt8]) -> PropertyInfo {
        PropertyInfo(name: name, type: .message, flags: .readOnly, value: value)
    }

    private func command(_ name: String) -> PropertyInfo {
        PropertyInfo(name: name, type: .message, flags: .writeOnly, value: [])
    }

    private func setting(_ position: Int) -> PropertyInfo {
        let definition = settings.definitions[position]
        let isReadable = !definition.flags.contains(.writeOnly)
        return PropertyInfo(
            name: definition.name, type: definition.type, flags: definition.flags,
            value: isReadable ? settings.values[position] : [])
    }

    private var device: DeviceInformation {
        DeviceInformation(
            family: ears.family, chip: configuration.family.chip.rawValue, firmwareVersion: ears.version,
            name: settings.name, hardwareRevision: "A", applicationProtocol: configuration.applicationProtocol)
    }

    private var capabilities: Capabilities {
        let isLater = configuration.faults.contains(.laterFirmware)
        return Capabilities(names: configuration.capabilities.map(\.rawValue) + (isLater ? ["levitation"] : []))
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
        guard let steps = checked(values, change: request?.id ?? 0) else { return false }
        settings.begin(steps, properties: values.map(\.index), id: request?.id ?? 0, at: now)
        return true
    }

    /// What speaks against the change as a whole.
    private func refusal(of request: ChangeRequest?) -> SettingRefusalReason? {
        if let reason = configuration.settingRefusal { return reason }
        if settings.isPending { return .busy }
        if let request, request.basedOnRevision != settings.revision { return .staleRevision }
        return nil
    }

    /// Nil where one is refused; the first is noted. Where a setting comes twice the last counts.
    private mutating func checked(_ values: ArraySlice<PropertyValue>, change id: UInt32) -> [ChangeStep]? {
        var steps: [ChangeStep] = []
        for value in values {
            // In recovery other settings have no index; whoever knows one from normal mode is told why.
            guard let property = property(value.index) else {
                if isRecovery { settings.refuse(change: id, property: value.index, .wrongMode) }
                return nil
            }
            guard let step = ChangeStep(value.value, to: property) else {
                let isCommand = [.paletteCommand, .motionCommand, .storageCommand].contains(property)
                if !isCommand { settings.refuse(change: id, property: value.index, .readOnly) }
                return nil
            }
            if let reason = settings.refusal(of: step) {
                settings.refuse(change: id, property: value.index, reason)
                return nil
            }
            steps.append(step)
        }
        return steps
    }
}

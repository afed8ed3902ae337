import ControlProtocol

/// The settings in force, and the one change that is under way: pending, applied, saving, saved.
struct SettingsStore: Sendable {
    let definitions: [SettingDefinition]
    /// As they are on the wire, by the definitions' positions.
    private(set) var values: [[UInt8]]
    private(set) var revision: UInt32
    private(set) var lastChange: Change?
    private(set) var lastRefusal: SettingRefusal?

    private let configuration: EarsConfiguration
    private var pending: Pending?
    private var saving: Saving?

    private struct Pending {
        let values: [Int: [UInt8]]
        let appliesAt: Duration
    }

    /// Saving is of everything that is not saved yet.
    private enum Saving {
        case starts(at: Duration)
        case ends(at: Duration)

        var deadline: Duration {
            switch self {
            case .starts(let at), .ends(let at): at
            }
        }
    }

    init(_ configuration: EarsConfiguration, _ memory: RetainedMemory) {
        self.configuration = configuration
        definitions = SettingDefinition.all(factoryName: configuration.factoryName)
        values = definitions.map { definition in
            guard let saved = memory.settings[definition.name],
                definition.refusal(of: saved, capabilities: Capability.allCases) == nil
            else { return definition.defaultValue.encoded() }
            return saved
        }
        revision = memory.revision
    }

    /// What the ears advertise.
    var name: String {
        guard let position = definitions.firstIndex(where: { $0.name == SettingDefinition.nameOfEars }) else {
            return configuration.factoryName
        }
        return String(decoding: values[position], as: UTF8.self)
    }

    var isPending: Bool { pending != nil }

    var nextDeadline: Duration? { [pending?.appliesAt, saving?.deadline].compactMap(\.self).min() }

    mutating func refuse(change id: UInt32, property: UInt32, _ reason: SettingRefusalReason) {
        lastRefusal = SettingRefusal(changeID: id, property: property, reason: reason)
    }

    /// - Parameters:
    ///   - changes: checked values by the definitions' positions.
    ///   - id: 0 for a change that its client does not follow.
    mutating func begin(_ changes: [Int: [UInt8]], properties: [UInt32], id: UInt32, at now: Duration) {
        pending = Pending(values: changes, appliesAt: now + configuration.timing.applyChange)
        lastChange = Change(id: id, revision: 0, stage: .pending, properties: properties)
    }

    mutating func advance(to now: Duration, memory: inout RetainedMemory) {
        if let pending, pending.appliesAt <= now { apply(pending, memory: &memory) }
        switch saving {
        case .starts(let at) where at <= now:
            saving = .ends(at: at + configuration.saveTime)
            follow(.saving)
        case .ends(let at) where at <= now:
            saving = nil
            save(to: &memory)
        case .starts, .ends, nil: break
        }
    }

    private mutating func apply(_ change: Pending, memory: inout RetainedMemory) {
        for (position, value) in change.values { values[position] = value }
        pending = nil
        revision &+= 1
        memory.revision = revision
        lastChange?.revision = revision
        lastChange?.stage = .applied
        guard change.values.keys.contains(where: { !definitions[$0].descriptor.isTemporary }) else { return }
        saving = .starts(at: change.appliesAt + configuration.timing.saveDelay)
    }

    private mutating func save(to memory: inout RetainedMemory) {
        guard !configuration.faults.contains(.saveFails) else { return follow(.saveFailed) }
        for (definition, value) in zip(definitions, values) where !definition.descriptor.isTemporary {
            memory.settings[definition.name] = value
        }
        follow(.saved)
    }

    /// The last change goes on, unless it is one that is not saved, or not in force yet.
    private mutating func follow(_ stage: ChangeStage) {
        guard let change = lastChange, change.stage == .applied || change.stage == .saving else { return }
        guard change.properties.contains(where: isSaved) else { return }
        lastChange?.stage = stage
    }

    private func isSaved(_ property: UInt32) -> Bool {
        guard case .setting(let position) = ControlProperty(index: property, settings: definitions.count) else {
            return false
        }
        return !definitions[position].descriptor.isTemporary
    }
}

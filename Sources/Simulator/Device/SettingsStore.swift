import ControlProtocol

/// The settings in force, and the one change that is under way: pending, applied, saving, saved.
struct SettingsStore: Sendable {
    let definitions: [SettingDefinition]
    /// As they are on the wire, by the definitions' positions.
    private(set) var values: [[UInt8]]
    private(set) var palettes: PaletteShelf
    private(set) var motion: MotionUnit
    private(set) var storage: StorageUnit
    private(set) var revision: UInt32
    private(set) var lastChange: Change?
    private(set) var lastRefusal: SettingRefusal?

    private let configuration: EarsConfiguration
    private var pending: Pending?
    private var saving: Saving?
    /// Something of the last change is stored.
    private var isLastChangeSaved = false

    private struct Pending {
        let steps: [ChangeStep]
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
        storage = StorageUnit(configuration, memory)
        // What lies in a damaged storage is not read.
        let readable = storage.isWritable ? memory : RetainedMemory()
        definitions = SettingDefinition.all(
            factoryName: configuration.factoryName, isLater: configuration.faults.contains(.laterFirmware))
        values = definitions.map { definition in
            guard let saved = readable.settings[definition.name],
                definition.refusal(of: saved, capabilities: Capability.allCases) == nil
            else { return definition.defaultValue }
            return saved
        }
        palettes = PaletteShelf(readable)
        motion = MotionUnit(configuration, readable)
        revision = memory.revision
    }

    /// What the ears advertise.
    var name: String {
        guard let position = definitions.firstIndex(where: { $0.name == SettingDefinition.nameOfEars }) else {
            return configuration.factoryName
        }
        return String(decoding: values[position], as: UTF8.self)
    }

    /// Whether the access point has another password than the maker's.
    var isPasswordSet: Bool {
        zip(definitions, values).contains { $0.name == SettingDefinition.password && $1 != $0.defaultValue }
    }

    var isPending: Bool { pending != nil }

    var nextDeadline: Duration? {
        [pending?.appliesAt, saving?.deadline, motion.nextDeadline, storage.nextDeadline].compactMap(\.self).min()
    }

    mutating func refuse(change id: UInt32, property: UInt32, _ reason: SettingRefusalReason) {
        lastRefusal = SettingRefusal(changeID: id, property: property, reason: reason)
    }

    /// Why a command cannot be carried out now; nil where it can.
    func refusal(of step: ChangeStep) -> SettingRefusalReason? {
        switch step {
        case .write(let position, let value):
            definitions[position].refusal(of: value, capabilities: configuration.capabilities)
                ?? refusalOfEffect(definitions[position].name, value)
        case .palette(let command):
            palettes.refusal(of: command, isFull: configuration.faults.contains(.palettesFull))
        case .motion(let command): motion.refusal(of: command)
        case .storage(let command): storage.refusal(of: command)
        }
    }

    /// An effect that needs a capability is not chosen without it.
    private func refusalOfEffect(_ setting: String, _ value: [UInt8]) -> SettingRefusalReason? {
        guard setting == SettingDefinition.effect else { return nil }
        let name = EffectCatalogue.prefix + String(decoding: value, as: UTF8.self)
        let needed = definitions.first { $0.name == name }?.descriptor.capability ?? ""
        let isThere = needed.isEmpty || configuration.capabilities.contains { $0.rawValue == needed }
        return isThere ? nil : .capabilityMissing
    }

    /// - Parameters:
    ///   - steps: checked.
    ///   - id: 0 for a change that its client does not follow.
    mutating func begin(_ steps: [ChangeStep], properties: [UInt32], id: UInt32, at now: Duration) {
        pending = Pending(steps: steps, appliesAt: now + configuration.timing.applyChange)
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
        motion.advance(to: now, memory: &memory)
        if storage.advance(to: now, memory: &memory) { reset(memory) }
    }

    private mutating func apply(_ change: Pending, memory: inout RetainedMemory) {
        for step in change.steps { carryOut(step, at: change.appliesAt) }
        pending = nil
        revision &+= 1
        memory.revision = revision
        lastChange?.revision = revision
        lastChange?.stage = .applied
        isLastChangeSaved = change.steps.contains(where: isSaved)
        guard isLastChangeSaved else { return }
        saving = .starts(at: change.appliesAt + configuration.timing.saveDelay)
    }

    private mutating func carryOut(_ step: ChangeStep, at now: Duration) {
        let id = lastChange?.id ?? 0
        switch step {
        case .write(let position, let value):
            values[position] = definitions[position].value(writing: value, over: values[position])
        case .palette(let command):
            guard let position = definitions.firstIndex(where: { $0.name == SettingDefinition.palette }) else { return }
            palettes.apply(command, current: &values[position])
        case .motion(let command): motion.apply(command, change: id, at: now)
        case .storage(let command): storage.apply(command, change: id, at: now)
        }
    }

    private mutating func save(to memory: inout RetainedMemory) {
        guard storage.isWritable, !configuration.faults.contains(.saveFails) else { return follow(.saveFailed) }
        for (definition, value) in zip(definitions, values) where !definition.descriptor.isTemporary {
            memory.settings[definition.name] = value
        }
        palettes.save(to: &memory)
        follow(.saved)
    }

    /// After a repair of the storage everything is as it came from the maker.
    private mutating func reset(_ memory: RetainedMemory) {
        values = definitions.map(\.defaultValue)
        palettes = PaletteShelf(memory)
        motion = MotionUnit(configuration, memory)
        saving = nil
    }

    /// The last change goes on, unless it is one that is not saved, or not in force yet.
    private mutating func follow(_ stage: ChangeStage) {
        guard let change = lastChange, change.stage == .applied || change.stage == .saving else { return }
        guard isLastChangeSaved else { return }
        lastChange?.stage = stage
    }

    /// What calibration and repair come to is kept by themselves.
    private func isSaved(_ step: ChangeStep) -> Bool {
        switch step {
        case .write(let position, _): !definitions[position].descriptor.isTemporary
        case .palette: true
        case .motion, .storage: false
        }
    }
}

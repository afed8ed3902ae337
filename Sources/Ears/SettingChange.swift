internal import ControlProtocol

/// Something that the ears are told to do, as part of a change.
enum EarsCommand: Hashable, Sendable {
    case palette(PaletteCommand)
    case motion(MotionCommand)
    case storage(StorageCommand)

    var property: String {
        switch self {
        case .palette: PropertyName.paletteCommand
        case .motion: PropertyName.motionCommand
        case .storage: PropertyName.storageCommand
        }
    }

    var bytes: [UInt8] {
        switch self {
        case .palette(let command): command.encoded()
        case .motion(let command): command.encoded()
        case .storage(let command): command.encoded()
        }
    }

    /// Ends at *applied*: what it comes to is in a state of its own.
    var isTemporary: Bool {
        switch self {
        case .palette: false
        case .motion, .storage: true
        }
    }
}

/// A change that was checked and can be sent.
struct SettingChange: Sendable {
    let pending: PendingChange
    let request: LocalControlRequest

    /// - Throws: the first value that does not fit what the ears say of its setting.
    init(
        _ items: [(setting: Setting, input: SettingInput)], id: UInt32, revision: UInt32, changeProperty: UInt32
    ) throws(SettingError) {
        var values = [Self.first(changeProperty, id, revision)]
        var wanted: [PendingChange.Item] = []
        for (setting, input) in items {
            guard !wanted.contains(where: { $0.setting == setting.name }) else { throw setting.error(.namedTwice) }
            let (value, bytes) = try setting.encoded(input)
            values.append(PropertyValue(index: setting.index, value: bytes))
            wanted.append(
                .init(setting: setting.name, wanted: value, isSecret: setting.isSecret, property: setting.index))
        }
        request = .setPropertyValues(values)
        pending = PendingChange(
            id: id, basedOnRevision: revision, items: wanted, isTemporary: items.allSatisfy(\.setting.isTemporary))
    }

    init(_ command: EarsCommand, property: UInt32, id: UInt32, revision: UInt32, changeProperty: UInt32) {
        request = .setPropertyValues([
            Self.first(changeProperty, id, revision), PropertyValue(index: property, value: command.bytes),
        ])
        pending = PendingChange(id: id, basedOnRevision: revision, items: [], isTemporary: command.isTemporary)
    }

    private static func first(_ property: UInt32, _ id: UInt32, _ revision: UInt32) -> PropertyValue {
        PropertyValue(index: property, value: ChangeRequest(id: id, basedOnRevision: revision).encoded())
    }
}

extension Setting {
    fileprivate func encoded(_ input: SettingInput) throws(SettingError) -> (SettingValue, [UInt8]) {
        switch input {
        case .text(let text):
            let value = try parse(text)
            return (value, try encode(value))
        case .value(let value): return (value, try encode(value))
        case .secret(let bytes):
            try checkSecret(bytes)
            return (.hidden, bytes)
        }
    }
}

internal import ControlProtocol

/// A change that was checked and can be sent.
struct SettingChange: Sendable {
    let pending: PendingChange
    let request: LocalControlRequest
    let indices: [UInt32]

    /// - Throws: the first value that does not fit what the ears say of its setting.
    init(
        _ items: [(setting: Setting, input: SettingInput)], id: UInt32, revision: UInt32, changeProperty: UInt32
    ) throws(SettingError) {
        var values = [
            PropertyValue(index: changeProperty, value: ChangeRequest(id: id, basedOnRevision: revision).encoded())
        ]
        var wanted: [PendingChange.Item] = []
        for (setting, input) in items {
            guard !wanted.contains(where: { $0.setting == setting.name }) else { throw setting.error(.namedTwice) }
            let value = try setting.value(of: input)
            values.append(PropertyValue(index: setting.index, value: try setting.encode(value)))
            wanted.append(.init(setting: setting.name, wanted: value))
        }
        request = .setPropertyValues(values)
        indices = items.map(\.setting.index)
        pending = PendingChange(
            id: id, basedOnRevision: revision, items: wanted, isTemporary: items.allSatisfy(\.setting.isTemporary))
    }
}

extension Setting {
    fileprivate func value(of input: SettingInput) throws(SettingError) -> SettingValue {
        switch input {
        case .text(let text): try parse(text)
        case .value(let value): value
        }
    }
}

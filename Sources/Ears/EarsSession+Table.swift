public import ControlProtocol

extension EarsSession {
    /// Takes the layout and the descriptions from the memory, where it has those that the ears state: nothing is read
    /// but what is asked for then, and every reading is held to the names.
    func recallTable() {
        guard layout == nil, mode == .normal, let hash = document.propertyTable, let bytes = memory?.recall(hash),
            PropertyTableHash(of: bytes) == hash,
            let table = try? PropertyTable(decoding: bytes, limits: PropertyTable.limits),
            let layout = try? PropertyLayout(table.properties),
            let descriptions = try? SettingDescriptions(table.properties)
        else { return }
        self.layout = layout
        self.descriptions = descriptions
    }

    /// In recovery there is little to keep, and nothing that is set.
    func keepTable(of properties: [PropertyInfo]) {
        guard mode == .normal, let memory else { return }
        let table = PropertyTable(properties).encoded()
        guard table.count <= PropertyTable.limits.bytes else { return }
        memory.keep(table, as: PropertyTableHash(of: table))
    }
}

extension PropertyTable {
    /// The settings that it describes, without their values; nil where a description is malformed.
    public var settings: [Setting]? {
        guard let descriptions = try? SettingDescriptions(properties) else { return nil }
        return try? descriptions.settings(
            properties.enumerated().map { (UInt32($0.offset), $0.element) }, areRead: false)
    }
}

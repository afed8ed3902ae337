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

    /// The setting that holds the password of the ears' access point: write only, in both modes.
    public static let accessPointPassword = PropertyName.wifiPassword

    /// Whether the access point has another password than the maker's, read afresh; nil where the ears do not
    /// say; in normal mode they do not.
    public func isAccessPointPasswordSet() async throws(EarsError) -> Bool? {
        guard try await knownLayout().indices[PropertyName.wifiPasswordIsSet] != nil else { return nil }
        let property = try await property(PropertyName.wifiPasswordIsSet)
        guard case .boolean(let isSet) = try? PropertyScalar(decoding: property.value, as: property.type) else {
            throw .wire(.malformedProperty(property.name))
        }
        return isSet
    }

    /// Every setting with its value, in the ears' order, those included that these ears lack the capability for.
    public func settings() async throws(EarsError) -> [Setting] {
        recallTable()
        guard let descriptions else { return try await settingsReadWhole() }
        return try await settings(described: descriptions) { _ in true }
    }

    /// - Throws: ``SettingError`` for a name that these ears do not have, or not in this mode.
    public func setting(_ name: String) async throws(EarsError) -> Setting {
        try setting(name, among: try await settings(named: [name]))
    }

    /// The settings of these names, as far as there are any.
    func settings(named names: Set<String>) async throws(EarsError) -> [Setting] {
        recallTable()
        guard let descriptions else { return try await settingsReadWhole().filter { names.contains($0.name) } }
        return try await settings(described: descriptions, where: names.contains)
    }

    func setting(_ name: String, among settings: [Setting]) throws(EarsError) -> Setting {
        if let found = settings.first(where: { $0.name == name }) { return found }
        guard mode == .normal else { throw .setting(SettingError(setting: name, reason: .wrongMode(.recovery))) }
        throw .setting(SettingError(setting: name, reason: .noSuchSetting, known: settingNames))
    }

    /// As far as they were read.
    private var settingNames: [String] {
        guard let layout, let descriptions else { return [] }
        return layout.indices.keys.filter(descriptions.isSetting).sorted()
    }

    private func settingsReadWhole() async throws(EarsError) -> [Setting] {
        let properties = try await properties()
        do {
            let descriptions = try SettingDescriptions(properties)
            self.descriptions = descriptions
            return try descriptions.settings(properties.enumerated().map { (UInt32($0.offset), $0.element) })
        } catch { throw .wire(error) }
    }

    private func settings(
        described descriptions: SettingDescriptions, where fits: (String) -> Bool
    ) async throws(EarsError) -> [Setting] {
        let known = try await knownLayout()
        let wanted = known.entries.indices.filter { place in
            descriptions.isSetting(known.entries[place].name) && fits(known.entries[place].name)
        }
        let read = try await properties(at: wanted, in: known)
        do { return try descriptions.settings(zip(wanted.map(UInt32.init), read).map { ($0, $1) }) } catch {
            throw .wire(error)
        }
    }
}

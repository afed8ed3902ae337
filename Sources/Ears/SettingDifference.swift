internal import ControlProtocol

extension Setting {
    /// What has to be written so that the setting reads as wanted: nil for nothing, of an effect the parameters that
    /// differ.
    public func difference(to wanted: SettingValue) -> SettingValue? {
        guard let value else { return wanted }
        guard !value.fulfils(wanted) else { return nil }
        guard case .parameters(let wanted) = wanted, case .parameters(let current) = value else { return wanted }
        return .parameters(EffectParameters(values: wanted.values.filter { !current.values.contains($0) }))
    }

    /// Whether a value can be sent.
    ///
    /// - Throws: with the value as it would be typed.
    public func check(_ value: SettingValue) throws(SettingError) {
        do throws(SettingError) { _ = try encode(value) } catch {
            throw SettingError(
                setting: error.setting, reason: error.reason, typed: isSecret ? nil : value.description,
                descriptor: descriptor)
        }
    }
}

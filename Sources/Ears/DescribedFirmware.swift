public import ControlProtocol

/// What ears said of their firmware and its settings, in one reading of all their properties.
public struct DescribedFirmware: Hashable, Sendable {
    public var device: DeviceInformation
    public var settings: [Setting]

    public init(device: DeviceInformation, settings: [Setting]) {
        self.device = device
        self.settings = settings
    }

    /// Nil where a property is missing or malformed; who asks for that one gets told.
    init?(_ properties: [PropertyInfo]) {
        guard let property = properties.first(where: { $0.name == PropertyName.device }),
            let device = try? DeviceInformation(decoding: property.value),
            let settings = try? SettingDescriptions(properties).settings(
                properties.enumerated().map { (UInt32($0.offset), $0.element) })
        else { return nil }
        self.init(device: device, settings: settings)
    }
}

extension EarsSession {
    /// Of the last time that all properties were read, if they were and the ears are in their normal mode. Asks nothing.
    public var describedFirmware: DescribedFirmware? {
        mode == .normal && !lastReading.isEmpty ? DescribedFirmware(lastReading) : nil
    }
}

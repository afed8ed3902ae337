import ControlProtocol

extension SettingDefinition {
    static let nameOfEars = "name"
    static let palette = "palette"
    /// Of the access point.
    static let password = "wifi-password"
    static let effect = "effect"

    /// In the order of their indices.
    ///
    /// - Parameter isLater: with settings of kinds that only firmware of a later time has.
    static func all(factoryName: String, isLater: Bool = false) -> [SettingDefinition] {
        let effects = EffectCatalogue.entries + (isLater ? [EffectCatalogue.later] : [])
        return plain(effects: effects.map(\.name)) + effects.map(definition)
            + [
                paletteInForce(isLater: isLater),
                scalar(nameOfEars, "Name", .text(minimumBytes: 1, maximumBytes: 20), .string(factoryName)),
                accessPointPassword,
            ] + (isLater ? later : [])
    }

    private static func plain(effects: [String]) -> [SettingDefinition] {
        let percent = SettingKind.integer(minimum: 0, maximum: 100, step: 1)
        return [
            scalar("power", "Power", .boolean, .boolean(true)),
            scalar("brightness", "Brightness", percent, .int32(60), unit: "%"),
            scalar("flashlight", "Flashlight", .boolean, .boolean(false), capability: .flashlight, isTemporary: true),
            scalar(effect, "Effect", .enumeration(choices: effects), .string(effects[0])),
            scalar("motion", "Reacts to motion", .boolean, .boolean(true), capability: .motion),
            scalar("overlay", "Overlay by motion", .boolean, .boolean(true), capability: .motion),
            scalar(
                "overlay-offset", "Overlay offset", .integer(minimum: -180, maximum: 180, step: 1), .int32(0),
                unit: "°", capability: .motion),
            scalar("led-output", "LED output", .enumeration(choices: outputs), .string(outputs[0])),
            scalar("ear-wiring", "Ear wiring", .enumeration(choices: wirings), .string(wirings[0])),
        ]
    }

    private static let outputs = ["both", "left", "right", "strip"]
    private static let wirings = ["left-first", "right-first", "parallel"]

    private static func scalar(
        _ name: String, _ title: String, _ kind: SettingKind, _ value: PropertyScalar, unit: String = "",
        capability: Capability? = nil, isTemporary: Bool = false
    ) -> SettingDefinition {
        SettingDefinition(
            SettingDescriptor(
                setting: name, title: title, unit: unit, capability: capability?.rawValue ?? "",
                isTemporary: isTemporary, kind: kind), type: value.type, defaultValue: value.encoded())
    }

    private static func definition(_ entry: EffectCatalogue.Entry) -> SettingDefinition {
        let values = entry.parameters.map { EffectParameterValue(name: $0.name, value: $1) }
        return SettingDefinition(
            SettingDescriptor(
                setting: EffectCatalogue.prefix + entry.name, title: entry.title,
                capability: entry.capability?.rawValue ?? "", kind: .effect(parameters: entry.parameters.map(\.0))),
            type: .message, defaultValue: EffectParameters(values: values).encoded())
    }

    private static func paletteInForce(isLater: Bool) -> SettingDefinition {
        var value = PaletteShelf.builtIn[0].palette ?? Palette(stops: [])
        // A field with a number that is not in today's contract.
        if isLater { value.unknownFields = [0x48, 0x05] }
        let kind = SettingKind.palette(
            maximumStops: UInt32(PaletteShelf.maximumStops), maximumNameBytes: UInt32(PaletteShelf.maximumNameBytes))
        return SettingDefinition(
            SettingDescriptor(setting: palette, title: "Palette", kind: kind), type: .message,
            defaultValue: value.encoded())
    }

    private static let accessPointPassword = SettingDefinition(
        SettingDescriptor(
            setting: SettingDefinition.password, title: "Password of the access point",
            capability: Capability.wifi.rawValue, isSecret: true,
            kind: .text(minimumBytes: 8, maximumBytes: 63)), type: .string, flags: .writeOnly,
        defaultValue: Array("espurr-ears".utf8), isInRecovery: true)

    private static let later = [
        SettingDefinition(
            SettingDescriptor(setting: "shimmer", title: "Shimmer", kind: .unknown), type: .message,
            defaultValue: [0x08, 0x07]),
        SettingDefinition(
            SettingDescriptor(setting: "scent", title: "Scent", kind: .unknown), type: PropertyType(rawValue: 77),
            defaultValue: [0x01, 0x02, 0x03]),
    ]
}

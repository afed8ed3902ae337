import ControlProtocol

/// A setting of these ears: what its descriptor says, how it lies on the wire, what it starts with.
struct SettingDefinition: Hashable, Sendable {
    let descriptor: SettingDescriptor
    let defaultValue: PropertyScalar

    var name: String { descriptor.setting }
    var type: PropertyType { defaultValue.type }

    private init(
        _ name: String, _ title: String, _ kind: SettingKind, _ defaultValue: PropertyScalar, unit: String = "",
        capability: Capability? = nil, isTemporary: Bool = false
    ) {
        descriptor = SettingDescriptor(
            setting: name, title: title, unit: unit, capability: capability?.rawValue ?? "", isTemporary: isTemporary,
            kind: kind)
        self.defaultValue = defaultValue
    }

    static let nameOfEars = "name"

    /// In the order of their indices.
    static func all(factoryName: String) -> [SettingDefinition] {
        let percent = SettingKind.integer(minimum: 0, maximum: 100, step: 1)
        return [
            SettingDefinition("power", "Power", .boolean, .boolean(true)),
            SettingDefinition("brightness", "Brightness", percent, .int32(60), unit: "%"),
            SettingDefinition(
                "flashlight", "Flashlight", .boolean, .boolean(false), capability: .flashlight, isTemporary: true),
            SettingDefinition("effect", "Effect", .enumeration(choices: effects), .string(effects[0])),
            SettingDefinition("effect-speed", "Effect speed", .integer(minimum: 1, maximum: 10, step: 1), .int32(5)),
            SettingDefinition("hue-cycling", "Hue cycling", .boolean, .boolean(false)),
            SettingDefinition("background-glow", "Background glow", percent, .int32(10), unit: "%"),
            SettingDefinition("motion", "Reacts to motion", .boolean, .boolean(true), capability: .motion),
            SettingDefinition(
                "overlay-offset", "Overlay offset", .integer(minimum: -180, maximum: 180, step: 1), .int32(0),
                unit: "°", capability: .motion),
            SettingDefinition("led-output", "LED output", .enumeration(choices: outputs), .string(outputs[0])),
            SettingDefinition("ear-wiring", "Ear wiring", .enumeration(choices: wirings), .string(wirings[0])),
            SettingDefinition(
                nameOfEars, "Name", .text(minimumBytes: 1, maximumBytes: 20), .string(factoryName)),
        ]
    }

    private static let effects = [
        "aurora", "breathe", "comet", "ember", "palette", "pulse", "rainbow", "ripple", "solid", "sparkle", "twinkle",
        "wave",
    ]
    private static let outputs = ["both", "left", "right", "strip"]
    private static let wirings = ["left-first", "right-first", "parallel"]

    /// Nil where the bytes are a value that the setting can take.
    func refusal(of value: [UInt8], capabilities: [Capability]) -> SettingRefusalReason? {
        if !descriptor.capability.isEmpty, !capabilities.contains(where: { $0.rawValue == descriptor.capability }) {
            return .capabilityMissing
        }
        guard let scalar = try? PropertyScalar(decoding: value, as: type), accepts(scalar) else { return .outOfRange }
        return nil
    }

    private func accepts(_ value: PropertyScalar) -> Bool {
        switch (descriptor.kind, value) {
        case (.boolean, .boolean): true
        case (.integer(let minimum, let maximum, _), .int32(let number)): (minimum...maximum).contains(number)
        case (.enumeration(let choices), .string(let name)): choices.contains(name)
        case (.text(let minimum, let maximum), .string(let text)):
            (minimum...maximum).contains(UInt32(text.utf8.count)) && !text.contains("\0")
        default: false
        }
    }
}

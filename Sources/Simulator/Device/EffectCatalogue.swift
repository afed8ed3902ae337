import ControlProtocol

/// The effects of these ears: each is a setting of its own, `effect.<name>`, with its parameters.
enum EffectCatalogue {
    struct Entry {
        var name: String
        var title: String
        var capability: Capability?
        var parameters: [(EffectParameter, ParameterValue)]
    }

    static let prefix = "effect."

    static let entries: [Entry] = [
        Entry(name: "aurora", title: "Aurora", parameters: [speed(4), percent("drift", "Drift", 30)]),
        Entry(name: "breathe", title: "Breathe", parameters: [speed(3), percent("depth", "Depth", 70)]),
        Entry(name: "comet", title: "Comet", parameters: [speed(6), tail, mirror]),
        Entry(name: "ember", title: "Ember", parameters: [percent("flicker", "Flicker", 40)]),
        Entry(name: "palette", title: "Palette", parameters: [speed(5), mirror]),
        Entry(name: "pulse", title: "Pulse", parameters: [speed(5), percent("sharpness", "Sharpness", 50)]),
        Entry(name: "rainbow", title: "Rainbow", parameters: [speed(5), spread]),
        Entry(name: "ripple", title: "Ripple", parameters: [speed(5), sensitivity]),
        Entry(name: "solid", title: "Solid colour", parameters: [colour(0xFF_8800)]),
        Entry(name: "sparkle", title: "Sparkle", parameters: [percent("density", "Density", 20), colour(0xFF_FFFF)]),
        Entry(name: "tilt", title: "Tilt", capability: .motion, parameters: [sensitivity]),
        Entry(name: "twinkle", title: "Twinkle", parameters: [percent("density", "Density", 35)]),
    ]

    /// What firmware of a later time has.
    static let later = Entry(
        name: "nebula", title: "Nebula",
        parameters: [speed(5), (EffectParameter(name: "turbulence", title: "Turbulence", kind: .unknown), .unknown)])

    private typealias Parameter = (EffectParameter, ParameterValue)

    private static func speed(_ value: Int32) -> Parameter {
        let kind = ParameterKind.integer(minimum: 1, maximum: 10, step: 1)
        return (EffectParameter(name: "speed", title: "Speed", kind: kind), .integer(value))
    }

    private static func percent(_ name: String, _ title: String, _ value: Int32) -> Parameter {
        let kind = ParameterKind.integer(minimum: 0, maximum: 100, step: 5)
        return (EffectParameter(name: name, title: title, unit: "%", kind: kind), .integer(value))
    }

    private static func colour(_ value: UInt32) -> Parameter {
        (EffectParameter(name: "colour", title: "Colour", kind: .colour), .colour(value))
    }

    private static let tail: Parameter = (
        EffectParameter(name: "tail", title: "Tail", kind: .enumeration(choices: ["short", "medium", "long"])),
        .choice("medium")
    )
    private static let mirror: Parameter = (
        EffectParameter(name: "mirror", title: "Mirrored on the other ear", kind: .boolean), .boolean(true)
    )
    private static let spread: Parameter = (
        EffectParameter(
            name: "spread", title: "Spread", unit: "°", kind: .integer(minimum: 10, maximum: 360, step: 10)),
        .integer(180)
    )
    private static let sensitivity: Parameter = (
        EffectParameter(
            name: "sensitivity", title: "Sensitivity", capability: Capability.motion.rawValue,
            kind: .integer(minimum: 1, maximum: 5, step: 1)), .integer(3)
    )
}

extension EffectParameter {
    func accepts(_ value: ParameterValue) -> Bool {
        switch (kind, value) {
        case (.boolean, .boolean): true
        case (.integer(let minimum, let maximum, let step), .integer(let number)):
            (minimum...maximum).contains(number) && (Int64(number) - Int64(minimum)) % Int64(max(step, 1)) == 0
        case (.enumeration(let choices), .choice(let name)): choices.contains(name)
        case (.colour, .colour(let colour)): colour <= 0xFF_FFFF
        case (.unknown, _): true
        default: false
        }
    }
}

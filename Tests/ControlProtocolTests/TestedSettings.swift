import ControlProtocol
import TestSupport

extension SettingDescriptor: TestedMessage {
    static let protoName = "espurr.settings.SettingDescriptor"

    static func generated(using random: inout SeededRandom) -> SettingDescriptor {
        SettingDescriptor(
            setting: random.text(), title: random.text(), unit: random.text(), capability: random.text(),
            isTemporary: random.bool(), isSecret: random.bool(), kind: kind(using: &random))
    }

    private static func kind(using random: inout SeededRandom) -> SettingKind {
        switch random.below(8) {
        case 0: .boolean
        case 1:
            .integer(minimum: random.signedNumber(), maximum: random.signedNumber(), step: random.signedNumber())
        case 2: .enumeration(choices: random.array { $0.text() })
        case 3: .text(minimumBytes: random.number(), maximumBytes: random.number())
        case 4: .structured(message: random.text())
        case 5: .effect(parameters: random.array { EffectParameter.generated(using: &$0) })
        case 6: .palette(maximumStops: random.number(), maximumNameBytes: random.number())
        default: .unknown
        }
    }
}

extension EffectParameter {
    fileprivate static func generated(using random: inout SeededRandom) -> EffectParameter {
        EffectParameter(
            name: random.text(), title: random.text(), unit: random.text(), capability: random.text(),
            kind: kind(using: &random))
    }

    private static func kind(using random: inout SeededRandom) -> ParameterKind {
        switch random.below(5) {
        case 0: .boolean
        case 1:
            .integer(minimum: random.signedNumber(), maximum: random.signedNumber(), step: random.signedNumber())
        case 2: .enumeration(choices: random.array { $0.text() })
        case 3: .colour
        default: .unknown
        }
    }
}

extension EffectParameters: TestedMessage {
    static let protoName = "espurr.settings.EffectParameters"

    static func generated(using random: inout SeededRandom) -> EffectParameters {
        EffectParameters(
            values: random.array { random in
                let value: ParameterValue =
                    switch random.below(5) {
                    case 0: .boolean(random.bool())
                    case 1: .integer(random.signedNumber())
                    case 2: .choice(random.text())
                    case 3: .colour(random.number())
                    default: .unknown
                    }
                return EffectParameterValue(name: random.text(), value: value)
            })
    }
}

extension Palette: TestedMessage {
    static let protoName = "espurr.settings.Palette"

    static func generated(using random: inout SeededRandom) -> Palette {
        Palette(
            stops: random.array { PaletteStop(position: $0.number(), colour: $0.number()) },
            blend: random.enumeration(), hueCycling: random.bool(), backgroundGlow: random.number())
    }
}

extension NamedPalette: TestedMessage {
    static let protoName = "espurr.settings.NamedPalette"

    static func generated(using random: inout SeededRandom) -> NamedPalette {
        NamedPalette(name: random.text(), palette: random.optional { Palette.generated(using: &$0) })
    }
}

extension PaletteCommand: TestedMessage {
    static let protoName = "espurr.settings.PaletteCommand"

    static func generated(using random: inout SeededRandom) -> PaletteCommand {
        switch random.below(4) {
        case 0:
            .save(
                name: random.text(), replace: random.bool(),
                palette: random.optional { Palette.generated(using: &$0) })
        case 1: .rename(name: random.text(), newName: random.text())
        case 2: .delete(name: random.text())
        default: .restore(name: random.text())
        }
    }
}

extension MotionState: TestedMessage {
    static let protoName = "espurr.settings.MotionState"

    static func generated(using random: inout SeededRandom) -> MotionState {
        MotionState(
            sensors: random.array { MotionSensor(name: $0.text(), hasFailed: $0.bool()) }, isCalibrated: random.bool(),
            calibration: random.optional {
                Calibration(
                    changeID: $0.number(), phase: $0.enumeration(), failure: $0.enumeration(), still: $0.number(),
                    stillNeeded: $0.number(), elapsed: $0.number(), window: $0.number())
            }, recentredBy: random.number())
    }
}

extension MotionCommand: TestedMessage {
    static let protoName = "espurr.settings.MotionCommand"

    static func generated(using random: inout SeededRandom) -> MotionCommand { allCases[random.below(allCases.count)] }
}

extension StorageState: TestedMessage {
    static let protoName = "espurr.settings.StorageState"

    static func generated(using random: inout SeededRandom) -> StorageState {
        StorageState(
            health: random.enumeration(), lostByRepair: random.array { $0.text() }, repairedBy: random.number())
    }
}

extension StorageCommand: TestedMessage {
    static let protoName = "espurr.settings.StorageCommand"

    static func generated(using random: inout SeededRandom) -> StorageCommand { allCases[random.below(allCases.count)] }
}

public import ControlProtocol

extension EffectParameterValue {
    /// `speed=7`
    var inWords: String { "\(name)=\(value.inWords)" }
}

extension ParameterValue {
    public var inWords: String {
        switch self {
        case .boolean(let value): value ? "on" : "off"
        case .integer(let value): String(value)
        case .choice(let value): value
        case .colour(let value): Colour.text(value)
        case .unknown: "(unknown)"
        }
    }
}

extension Setting {
    /// The setting that says which effect is chosen.
    public static let effectName = PropertyName.effect
    /// The setting that holds an effect's parameters.
    public static func name(ofEffect effect: String) -> String { PropertyName.effectPrefix + effect }

    /// The words that an effect's parameters can be changed by, without those in `named` and those that these ears lack the
    /// capability for; one that ends in `=` wants its value behind it. Empty for what is no effect.
    public func parameterWords(without named: Set<String> = []) -> [(word: String, title: String)] {
        guard case .effect(let parameters) = descriptor?.kind else { return [] }
        return parameters.filter { !named.contains($0.name) && lacks($0.capability) == nil }.flatMap { parameter in
            parameter.kind.words.map { ("\(parameter.name)=\($0)", parameter.title) }
        }
    }
}

extension ParameterKind {
    /// Those values that can be listed; an empty one stands for any other.
    fileprivate var words: [String] {
        switch self {
        case .boolean: Setting.switchWords
        case .enumeration(let choices): choices
        case .integer, .colour, .unknown: [""]
        }
    }
}

/// An effect's parameters, as words and checked against what the ears say of them.
enum EffectText {
    static func parameters(
        _ words: [String], of parameters: [EffectParameter], for setting: Setting
    ) throws(SettingError) -> EffectParameters {
        var values: [EffectParameterValue] = []
        for word in words {
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 2 else { throw setting.error(.notAnAssignment(word)) }
            let parameter = try parameter(parts[0], among: parameters, for: setting)
            guard !values.contains(where: { $0.name == parts[0] }) else {
                throw setting.error(.parameter(parts[0], .namedTwice))
            }
            do throws(Fault) {
                values.append(EffectParameterValue(name: parts[0], value: try value(parts[1], of: parameter)))
            } catch { throw setting.error(.parameter(parts[0], error.reason)) }
        }
        return EffectParameters(values: values)
    }

    static func check(
        _ values: EffectParameters, against parameters: [EffectParameter], for setting: Setting
    ) throws(SettingError) {
        for value in values.values {
            let parameter = try parameter(value.name, among: parameters, for: setting)
            if let capability = setting.lacks(parameter.capability) {
                throw setting.error(.parameter(value.name, .capabilityMissing(capability)))
            }
            do throws(Fault) { try check(value.value, against: parameter.kind) } catch {
                throw setting.error(.parameter(value.name, error.reason))
            }
        }
    }

    private struct Fault: Error {
        let reason: SettingError.Reason
        init(_ reason: SettingError.Reason) { self.reason = reason }
    }

    private static func parameter(
        _ name: String, among parameters: [EffectParameter], for setting: Setting
    ) throws(SettingError) -> EffectParameter {
        guard let parameter = parameters.first(where: { $0.name == name }) else {
            throw setting.error(.noSuchParameter(name, parameters.map(\.name)))
        }
        return parameter
    }

    private static func value(_ text: String, of parameter: EffectParameter) throws(Fault) -> ParameterValue {
        switch parameter.kind {
        case .boolean:
            guard let value = Setting.boolean(text) else { throw Fault(.notABoolean) }
            return .boolean(value)
        case .integer(let minimum, let maximum, let step):
            guard let value = text.wholeNumber(unit: parameter.unit) else { throw Fault(.notAnInteger) }
            guard let narrow = Int32(exactly: value) else { throw Fault(outOfRange(minimum, maximum, step)) }
            return .integer(narrow)
        case .enumeration: return .choice(text)
        case .colour:
            guard let colour = Colour.number(text) else { throw Fault(.notAColour) }
            return .colour(colour)
        case .unknown: throw Fault(.unknownKind)
        }
    }

    private static func check(_ value: ParameterValue, against kind: ParameterKind) throws(Fault) {
        switch (kind, value) {
        case (.boolean, .boolean): return
        case (.integer(let minimum, let maximum, let step), .integer(let number)):
            let distance = Int64(number) - Int64(minimum)
            guard number >= minimum, number <= maximum, distance.isMultiple(of: max(1, Int64(step))) else {
                throw Fault(outOfRange(minimum, maximum, step))
            }
        case (.enumeration(let choices), .choice(let name)):
            guard choices.contains(name) else { throw Fault(.notAChoice(choices)) }
        case (.colour, .colour(let colour)): guard colour <= 0xFF_FFFF else { throw Fault(.notAColour) }
        // What was read from these ears once goes back as it was.
        case (.unknown, _), (_, .unknown): return
        default: throw Fault(.wrongType)
        }
    }

    private static func outOfRange(_ minimum: Int32, _ maximum: Int32, _ step: Int32) -> SettingError.Reason {
        .outOfRange(minimum: Int64(minimum), maximum: Int64(maximum), step: max(1, Int64(step)))
    }
}

import CommandLineTools
import ControlProtocol
public import Ears

extension Setting {
    /// What it can be: `0 to 100 %`; nil where the ears do not say, and for an effect's parameters, of which each has its
    /// own.
    public var rangeInWords: String? { isReadOnly ? "(read only)" : descriptor?.rangeInWords }

    /// A line for each thing that can be set of it: one, or one for each parameter that these ears offer.
    public var rangeLines: [String] {
        guard case .effect(let parameters) = descriptor?.kind else {
            return [rangeInWords.map { "\(name.printable)  \($0)" }].compactMap { $0 }
        }
        return parameters.filter { lacks($0.capability) == nil }.map { parameter in
            "\(name.printable)  \(parameter.name.printable)=  \(parameter.rangeInWords)"
        }
    }
}

extension SettingDescriptor {
    var rangeInWords: String? {
        switch kind {
        case .boolean: "on or off"
        case .integer(let minimum, let maximum, let step):
            integersInWords(from: minimum, to: maximum, step: Int64(step), unit: unit)
        case .enumeration(let choices): choices.map(\.printable).joined(separator: ", ")
        case .text(let minimum, let maximum): "\(minimum) to \(maximum) bytes"
        case .palette(let stops, _): "1 to \(stops) stops"
        case .effect, .structured, .unknown: nil
        }
    }
}

extension EffectParameter {
    /// What it can be: `1 to 10`.
    var rangeInWords: String {
        switch kind {
        case .boolean: "on or off"
        case .integer(let minimum, let maximum, let step):
            integersInWords(from: minimum, to: maximum, step: Int64(step), unit: unit)
        case .enumeration(let choices): choices.map(\.printable).joined(separator: ", ")
        case .colour: "RRGGBB"
        case .unknown: "of a kind that this version does not know"
        }
    }
}

/// `0 to 100 % in steps of 5`
private func integersInWords(from minimum: Int32, to maximum: Int32, step: Int64, unit: String) -> String {
    "\(minimum) to \(maximum)" + (unit.isEmpty ? "" : " " + unit.printable) + (step > 1 ? " in steps of \(step)" : "")
}

extension SettingError {
    /// What would have been taken: `brightness takes 0 to 100 %`; nil where the cause lists it, or the ears do not say.
    var allowedInWords: String? {
        switch reason {
        case .notABoolean, .notAnInteger, .outOfRange, .tooLong, .tooShort, .wrongType:
            return descriptor?.rangeInWords.map { "\(setting.printable) takes \($0)" }
        case .parameter(let name, .notABoolean), .parameter(let name, .notAnInteger), .parameter(let name, .outOfRange),
            .parameter(let name, .notAColour), .parameter(let name, .wrongType):
            guard case .effect(let parameters) = descriptor?.kind else { return nil }
            return parameters.first { $0.name == name }.map { "\(name.printable) takes \($0.rangeInWords)" }
        default: return nil
        }
    }
}

public import CommandLineTools
import ControlProtocol
public import Ears

extension ParameterValue {
    var json: JSON {
        switch self {
        case .boolean(let value): .boolean(value)
        case .integer(let value): .integer(Int64(value))
        case .choice(let value): .string(value)
        case .colour(let value): .string(Colour.text(value))
        case .unknown: .null
        }
    }
}

extension EffectParameters {
    var json: JSON { .object(values.map { ($0.name, $0.value.json) }) }
}

extension EffectParameter {
    var members: [(String, JSON)] {
        var members: [(String, JSON)] = [
            ("name", .string(name)), ("title", .string(title)), ("unit", .string(unit)),
        ]
        switch kind {
        case .boolean: members.append(("kind", .string("boolean")))
        case .integer(let minimum, let maximum, let step):
            members += [
                ("kind", .string("integer")), ("minimum", .integer(Int64(minimum))),
                ("maximum", .integer(Int64(maximum))), ("step", .integer(Int64(max(step, 1)))),
            ]
        case .enumeration(let choices):
            members += [("kind", .string("enumeration")), ("choices", .array(choices.map(JSON.string)))]
        case .colour: members.append(("kind", .string("colour")))
        case .unknown: members.append(("kind", .string("unknown")))
        }
        return members
    }
}

extension Effect {
    public var json: JSON {
        var members: [(String, JSON)] = [
            ("name", .string(name)), ("title", .string(title)), ("running", .boolean(isRunning)),
        ]
        if let missingCapability { members.append(("missing_capability", .string(missingCapability))) }
        let parameters = parameters.map { parameter in
            var members = parameter.description.members
            members.append(("value", parameter.value?.json ?? .null))
            if let missing = parameter.missingCapability { members.append(("missing_capability", .string(missing))) }
            return JSON.object(members)
        }
        return .object(members + [("parameters", .array(parameters))])
    }

    /// One line for the effect, one for each of its parameters that these ears offer.
    public var lines: [String] {
        let head = (isRunning ? "* " : "  ") + name.printable
        let title = title.isEmpty ? "" : "  " + title.printable
        return [head + title]
            + parameters.filter { $0.missingCapability == nil }.map { parameter in
                let value = "\(parameter.description.name)=\(parameter.value?.inWords ?? "")".printable
                return "      " + value.padded(to: 20) + "  " + parameter.description.rangeInWords
            }
    }
}

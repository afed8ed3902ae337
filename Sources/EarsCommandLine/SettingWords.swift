public import CommandLineTools
import ControlProtocol
public import Ears

extension SettingValue {
    public var json: JSON {
        switch self {
        case .boolean(let value): .boolean(value)
        case .integer(let value): .integer(value)
        case .text(let value), .choice(let value): .string(value)
        case .parameters(let parameters): parameters.json
        case .palette(let palette): palette.json
        case .hidden: .null
        case .bytes: .string(description)
        }
    }
}

extension [Setting] {
    /// Each a line: its name, its value, what it can be.
    public var lines: [String] {
        let names = (map(\.name.printable.count).max() ?? 0) + 2
        // A palette's is long, and would move all the others away.
        let ranged = filter { $0.rangeInWords != nil }.map(\.valueInWords.count)
        let values = ranged.filter { $0 <= Self.widestValue }.max() ?? 0
        return map { setting in
            let head = setting.name.printable.padded(to: names)
            guard let range = setting.rangeInWords else { return head + setting.valueInWords }
            return head + setting.valueInWords.padded(to: values) + "  " + range
        }
    }

    private static let widestValue = 24
}

extension Setting {
    public var unit: String { descriptor?.unit ?? "" }

    /// The value as people read it: `40 %`.
    public var valueInWords: String {
        guard let value else { return missingCapability == nil ? "(write only)" : "(not available)" }
        if case .unknown = descriptor?.kind { return "(of an unknown kind: \(value.description.printable))" }
        return value.description.printable + (unit.isEmpty ? "" : " " + unit.printable)
    }

    public var json: JSON {
        var members: [(String, JSON)] = [
            ("name", .string(name)), ("value", value?.json ?? .null), ("unit", .string(unit)),
            ("title", .optional(descriptor?.title)), ("read_only", .boolean(isReadOnly)),
            ("write_only", .boolean(isWriteOnly)),
            ("temporary", .boolean(isTemporary)),
        ]
        if let missingCapability { members.append(("missing_capability", .string(missingCapability))) }
        switch descriptor?.kind {
        case .boolean: members.append(("kind", .string("boolean")))
        case .integer(let minimum, let maximum, let step):
            members += [
                ("kind", .string("integer")), ("minimum", .integer(Int64(minimum))),
                ("maximum", .integer(Int64(maximum))), ("step", .integer(Int64(max(step, 1)))),
            ]
        case .enumeration(let choices):
            members += [("kind", .string("enumeration")), ("choices", .array(choices.map(JSON.string)))]
        case .text(let minimum, let maximum):
            members += [
                ("kind", .string("text")), ("minimum_bytes", .integer(Int64(minimum))),
                ("maximum_bytes", .integer(Int64(maximum))),
            ]
        case .structured(let message):
            members += [("kind", .string("structured")), ("message", .string(message))]
        case .effect(let parameters):
            members += [("kind", .string("effect")), ("parameters", .array(parameters.map { .object($0.members) }))]
        case .palette(let stops, let bytes):
            members += [
                ("kind", .string("palette")), ("maximum_stops", .integer(Int64(stops))),
                ("maximum_name_bytes", .integer(Int64(bytes))),
            ]
        case .unknown: members.append(("kind", .string("unknown")))
        case nil: members.append(("kind", .null))
        }
        return .object(members)
    }
}

import CommandLineTools
import ControlProtocol
import Ears

extension ParsedJSON {
    /// Bytes of what only later versions know: `{"bytes": "0a1b"}`.
    var bytes: [UInt8]? {
        guard case .object(let members) = self, members.count == 1, case .string(let text) = members["bytes"] else {
            return nil
        }
        return Self.bytes(text)
    }

    static func bytes(_ text: String) -> [UInt8]? {
        let digits = text.utf8.map { Character(Unicode.Scalar($0)).hexDigitValue }
        guard digits.count.isMultiple(of: 2), !digits.contains(nil) else { return nil }
        let known = digits.compactMap(\.self)
        return stride(from: 0, to: known.count, by: 2).map { UInt8(known[$0] << 4 | known[$0 + 1]) }
    }
}

extension Setting {
    /// The value that an exported one stands for; nil where it is of another type.
    func value(of exported: ParsedJSON) -> SettingValue? {
        switch (descriptor?.kind, exported) {
        case (.effect(let parameters), .object(let members)):
            EffectParameters(exported: members, parameters).map(SettingValue.parameters)
        case (.palette, .object(let members)): Palette(exported: members).map(SettingValue.palette)
        case (.enumeration, .string(let name)): .choice(name)
        case (_, .object): exported.bytes.map(SettingValue.bytes)
        case (_, .boolean(let value)): .boolean(value)
        case (_, .integer(let value)): .integer(value)
        case (_, .string(let text)): .text(text)
        case (_, .null), (_, .number), (_, .array): nil
        }
    }
}

extension EffectParameters {
    /// - Parameter parameters: say of which type each one is, and in which order they come; what they do not name comes
    ///   last, to be refused by its name.
    init?(exported members: [String: ParsedJSON], _ parameters: [EffectParameter]) {
        let known = parameters.map(\.name).filter { members[$0] != nil }
        var values: [EffectParameterValue] = []
        for name in known + members.keys.filter({ !known.contains($0) }).sorted() {
            let kind = parameters.first { $0.name == name }?.kind
            guard let value = members[name].flatMap({ EffectParameterValue(name, $0, kind) }) else { return nil }
            values.append(value)
        }
        self.init(values: values)
    }
}

extension EffectParameterValue {
    fileprivate init?(_ name: String, _ exported: ParsedJSON, _ kind: ParameterKind?) {
        switch (kind, exported) {
        case (.colour, .string(let text)):
            guard let colour = Colour.number(text) else { return nil }
            self.init(name: name, value: .colour(colour))
        case (_, .boolean(let value)): self.init(name: name, value: .boolean(value))
        case (_, .integer(let value)):
            guard let number = Int32(exactly: value) else { return nil }
            self.init(name: name, value: .integer(number))
        case (_, .string(let text)): self.init(name: name, value: .choice(text))
        case (_, .object):
            guard let bytes = exported.bytes else { return nil }
            self.init(name: name, value: .unknown, unknownFields: bytes)
        case (_, .null), (_, .number), (_, .array): return nil
        }
    }
}

extension Palette {
    init?(exported members: [String: ParsedJSON]) {
        guard case .array(let stops) = members["stops"], case .boolean(let hueCycling) = members["hue_cycling"],
            case .integer(let glow) = members["background_glow"], let glow = UInt32(exactly: glow),
            let blend = members["blend"].flatMap(PaletteBlend.init(exported:)),
            let unknown = Self.unknownFields(members)
        else { return nil }
        var read: [PaletteStop] = []
        for stop in stops {
            guard let stop = PaletteStop(exported: stop) else { return nil }
            read.append(stop)
        }
        self.init(
            stops: read, blend: blend, hueCycling: hueCycling, backgroundGlow: glow, unknownFields: unknown)
    }

    fileprivate static func unknownFields(_ members: [String: ParsedJSON]) -> [UInt8]? {
        switch members["unknown_fields"] {
        case nil: []
        case .string(let text): ParsedJSON.bytes(text)
        default: nil
        }
    }
}

extension PaletteStop {
    fileprivate init?(exported: ParsedJSON) {
        guard case .object(let members) = exported, case .integer(let position) = members["position"],
            let position = UInt32(exactly: position), case .string(let text) = members["colour"],
            let colour = Colour.number(text), let unknown = Palette.unknownFields(members)
        else { return nil }
        self.init(position: position, colour: colour, unknownFields: unknown)
    }
}

extension PaletteBlend {
    fileprivate init?(exported: ParsedJSON) {
        switch exported {
        case .string("smooth"): self = .smooth
        case .string("bands"): self = .bands
        case .integer(let number):
            guard let number = UInt32(exactly: number) else { return nil }
            self = .unknown(number)
        default: return nil
        }
    }
}

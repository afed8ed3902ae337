public import CommandLineTools
public import ControlProtocol
public import Ears

extension Palette {
    public var json: JSON {
        let stops = stops.map { stop in
            var members: [(String, JSON)] = [
                ("position", .integer(Int64(stop.position))), ("colour", .string(Colour.text(stop.colour))),
            ]
            members.addUnknown(stop.unknownFields)
            return JSON.object(members)
        }
        var members: [(String, JSON)] = [
            ("stops", .array(stops)), ("blend", blend.json), ("hue_cycling", .boolean(hueCycling)),
            ("background_glow", .integer(Int64(backgroundGlow))),
        ]
        members.addUnknown(unknownFields)
        return .object(members)
    }

    /// `4 stops, smooth`
    public var summary: String {
        var parts = ["\(stops.count) stop\(stops.count == 1 ? "" : "s")", blend.inWords]
        if hueCycling { parts.append("hue cycling") }
        if backgroundGlow > 0 { parts.append("glow \(backgroundGlow) %") }
        if !unknownFields.isEmpty { parts.append("more that this version does not know") }
        return parts.joined(separator: ", ")
    }
}

extension [(String, JSON)] {
    /// Fields of the wire that this build does not know, so that they survive a round trip.
    fileprivate mutating func addUnknown(_ fields: [UInt8]) {
        if !fields.isEmpty { append(("unknown_fields", .string(SettingValue.bytes(fields).description))) }
    }
}

extension PaletteBlend {
    fileprivate var json: JSON {
        if case .unknown(let number) = self { .integer(Int64(number)) } else { .string(inWords) }
    }

    fileprivate var inWords: String {
        switch self {
        case .smooth: "smooth"
        case .bands: "bands"
        case .unknown(let number): "blend \(number)"
        }
    }
}

extension Palettes {
    public var members: [(String, JSON)] {
        [
            ("current", current.json), ("current_name", .optional(name(of: current))),
            ("saved", .array(saved.map(\.json))), ("built_in", .array(builtIn.map(\.json))),
            ("places", .integer(Int64(places))), ("maximum_stops", .integer(Int64(maximumStops))),
            ("maximum_name_bytes", .integer(Int64(maximumNameBytes))),
        ]
    }

    /// Each palette a line, the one in force marked; where it is kept under no name it comes first.
    public var lines: [String] {
        let name = name(of: current)
        let width = (saved + builtIn).map(\.name.printable.count).max() ?? 0
        func line(_ palette: NamedPalette, _ kind: String) -> String {
            (palette.name == name ? "* " : "  ") + palette.name.printable.padded(to: width) + "  "
                + kind.padded(to: 8) + "  " + (palette.palette?.summary ?? "empty")
        }
        let unnamed = name == nil ? ["* (not saved)".padded(to: width + 2) + "            " + current.summary] : []
        return unnamed + saved.map { line($0, "saved") } + builtIn.map { line($0, "built in") }
            + ["\(saved.count) of \(places) places taken"]
    }
}

extension NamedPalette {
    public var json: JSON {
        .object([("name", .string(name)), ("palette", palette?.json ?? .null)])
    }
}

extension CommandFailure {
    /// A name that cannot be a saved palette's: nothing was sent.
    public init(_ fault: PaletteNameFault, of name: String) {
        self.init(
            .usage, code: "name_refused", cause: "“\(name.printable)”: \(fault.inWords); nothing was sent",
            remedy: "choose another name")
    }

    /// - Parameter known: the palettes that could have been meant.
    public static func noPalette(_ name: String, among known: [NamedPalette]) -> CommandFailure {
        CommandFailure(
            .noSuchSetting, code: "no_such_palette", cause: "these ears have no palette “\(name.printable)”",
            remedy: suggestion(for: name, among: known.map(\.name)) ?? "espurr-ctl palette list")
    }
}

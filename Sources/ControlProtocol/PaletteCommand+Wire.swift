extension PaletteCommand: WireMessage {
    /// - Throws: ``WireError/missingPayload`` for a command that this build does not know.
    public init(from reader: inout WireReader) throws(WireError) {
        var command: PaletteCommand?
        while let field = try reader.nextField() {
            switch field.number {
            case 1:
                command = try reader.member(field, merging: SavePalette(command)).map(\.command) ?? command
            case 2:
                command = try reader.member(field, merging: RenamePalette(command)).map(\.command) ?? command
            case 3:
                let deleted = if case .delete(let name) = command { PaletteName(name: name) } else { PaletteName?.none }
                command = try reader.member(field, merging: deleted).map { .delete(name: $0.name) } ?? command
            case 4:
                let restored =
                    if case .restore(let name) = command { PaletteName(name: name) } else { PaletteName?.none }
                command = try reader.member(field, merging: restored).map { .restore(name: $0.name) } ?? command
            default: try reader.skip(field)
            }
        }
        guard let command else { throw .missingPayload }
        self = command
    }

    public func write(to writer: inout WireWriter) {
        if let save = SavePalette(self) { writer.message(1, save) }
        if let rename = RenamePalette(self) { writer.message(2, rename) }
        switch self {
        case .delete(let name): writer.message(3, PaletteName(name: name))
        case .restore(let name): writer.message(4, PaletteName(name: name))
        case .save, .rename: break
        }
    }
}

private struct SavePalette: MergingMessage {
    static let unset = SavePalette(name: "", replace: false, palette: nil)
    var name: String
    var replace: Bool
    var palette: Palette?

    private init(name: String, replace: Bool, palette: Palette?) {
        self.name = name
        self.replace = replace
        self.palette = palette
    }

    init?(_ command: PaletteCommand?) {
        guard case .save(let name, let replace, let palette) = command else { return nil }
        self.init(name: name, replace: replace, palette: palette)
    }

    var command: PaletteCommand { .save(name: name, replace: replace, palette: palette) }

    mutating func read(_ field: WireField, from reader: inout WireReader) throws(WireError) {
        switch field.number {
        case 1: try reader.string(field, into: &name)
        case 2: try reader.bool(field, into: &replace)
        case 3: try reader.message(field, into: &palette)
        default: try reader.skip(field)
        }
    }

    func write(to writer: inout WireWriter) {
        writer.string(1, name)
        writer.bool(2, replace)
        if let palette { writer.message(3, palette) }
    }
}

private struct RenamePalette: MergingMessage {
    static let unset = RenamePalette(name: "", newName: "")
    var name: String
    var newName: String

    private init(name: String, newName: String) {
        self.name = name
        self.newName = newName
    }

    init?(_ command: PaletteCommand?) {
        guard case .rename(let name, let newName) = command else { return nil }
        self.init(name: name, newName: newName)
    }

    var command: PaletteCommand { .rename(name: name, newName: newName) }

    mutating func read(_ field: WireField, from reader: inout WireReader) throws(WireError) {
        switch field.number {
        case 1: try reader.string(field, into: &name)
        case 2: try reader.string(field, into: &newName)
        default: try reader.skip(field)
        }
    }

    func write(to writer: inout WireWriter) {
        writer.string(1, name)
        writer.string(2, newName)
    }
}

/// `DeletePalette` and `RestorePalette`, which are alike.
private struct PaletteName: MergingMessage {
    static let unset = PaletteName(name: "")
    var name: String

    mutating func read(_ field: WireField, from reader: inout WireReader) throws(WireError) {
        switch field.number {
        case 1: try reader.string(field, into: &name)
        default: try reader.skip(field)
        }
    }

    func write(to writer: inout WireWriter) {
        writer.string(1, name)
    }
}

extension PaletteBlend: WireEnumeration {
    static let known: [PaletteBlend] = [.smooth, .bands]

    var number: UInt32 {
        switch self {
        case .smooth: 0
        case .bands: 1
        case .unknown(let number): number
        }
    }
}

extension PaletteStop: MergingMessage {
    static let unset = PaletteStop(position: 0, colour: 0)

    public init(from reader: inout WireReader) throws(WireError) {
        try self.init(merging: &reader)
    }

    mutating func read(_ field: WireField, from reader: inout WireReader) throws(WireError) {
        switch (field.number, field.wireType) {
        case (1, .varint): try reader.uint32(field, into: &position)
        case (2, .varint): try reader.uint32(field, into: &colour)
        default: try reader.keep(field, in: &unknownFields)
        }
    }

    public func write(to writer: inout WireWriter) {
        writer.uint32(1, position)
        writer.uint32(2, colour)
        writer.unknown(unknownFields)
    }
}

extension Palette: MergingMessage {
    static let unset = Palette(stops: [])

    public init(from reader: inout WireReader) throws(WireError) {
        try self.init(merging: &reader)
    }

    mutating func read(_ field: WireField, from reader: inout WireReader) throws(WireError) {
        switch (field.number, field.wireType) {
        case (1, .lengthDelimited): try reader.messages(field, into: &stops)
        case (2, .varint): try reader.enumeration(field, into: &blend)
        case (3, .varint): try reader.bool(field, into: &hueCycling)
        case (4, .varint): try reader.uint32(field, into: &backgroundGlow)
        default: try reader.keep(field, in: &unknownFields)
        }
    }

    public func write(to writer: inout WireWriter) {
        writer.messages(1, stops)
        writer.enumeration(2, blend)
        writer.bool(3, hueCycling)
        writer.uint32(4, backgroundGlow)
        writer.unknown(unknownFields)
    }
}

extension NamedPalette: MergingMessage {
    static let unset = NamedPalette(name: "", palette: nil)

    public init(from reader: inout WireReader) throws(WireError) {
        try self.init(merging: &reader)
    }

    mutating func read(_ field: WireField, from reader: inout WireReader) throws(WireError) {
        switch field.number {
        case 1: try reader.string(field, into: &name)
        case 2: try reader.message(field, into: &palette)
        default: try reader.skip(field)
        }
    }

    public func write(to writer: inout WireWriter) {
        writer.string(1, name)
        if let palette { writer.message(2, palette) }
    }
}

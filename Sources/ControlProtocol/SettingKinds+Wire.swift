// The messages that the kinds of settings and of parameters are on the wire.

struct IntegerKind: MergingMessage {
    static let unset = IntegerKind(minimum: 0, maximum: 0, step: 0)
    var minimum: Int32
    var maximum: Int32
    var step: Int32

    var kind: SettingKind { .integer(minimum: minimum, maximum: maximum, step: step) }

    mutating func read(_ field: WireField, from reader: inout WireReader) throws(WireError) {
        switch field.number {
        case 1: try reader.sint32(field, into: &minimum)
        case 2: try reader.sint32(field, into: &maximum)
        case 3: try reader.sint32(field, into: &step)
        default: try reader.skip(field)
        }
    }

    func write(to writer: inout WireWriter) {
        writer.sint32(1, minimum)
        writer.sint32(2, maximum)
        writer.sint32(3, step)
    }
}

struct EnumerationKind: MergingMessage {
    static let unset = EnumerationKind(choices: [])
    var choices: [String]

    var kind: SettingKind { .enumeration(choices: choices) }

    mutating func read(_ field: WireField, from reader: inout WireReader) throws(WireError) {
        switch field.number {
        case 1: try reader.strings(field, into: &choices)
        default: try reader.skip(field)
        }
    }

    func write(to writer: inout WireWriter) {
        writer.strings(1, choices)
    }
}

struct TextKind: MergingMessage {
    static let unset = TextKind(maximumBytes: 0, minimumBytes: 0)
    var maximumBytes: UInt32
    var minimumBytes: UInt32

    var kind: SettingKind { .text(minimumBytes: minimumBytes, maximumBytes: maximumBytes) }

    mutating func read(_ field: WireField, from reader: inout WireReader) throws(WireError) {
        switch field.number {
        case 1: try reader.uint32(field, into: &maximumBytes)
        case 2: try reader.uint32(field, into: &minimumBytes)
        default: try reader.skip(field)
        }
    }

    func write(to writer: inout WireWriter) {
        writer.uint32(1, maximumBytes)
        writer.uint32(2, minimumBytes)
    }
}

struct StructuredKind: MergingMessage {
    static let unset = StructuredKind(message: "")
    var message: String

    var kind: SettingKind { .structured(message: message) }

    mutating func read(_ field: WireField, from reader: inout WireReader) throws(WireError) {
        switch field.number {
        case 1: try reader.string(field, into: &message)
        default: try reader.skip(field)
        }
    }

    func write(to writer: inout WireWriter) {
        writer.string(1, message)
    }
}

struct EffectKind: MergingMessage {
    static let unset = EffectKind(parameters: [])
    var parameters: [EffectParameter]

    var kind: SettingKind { .effect(parameters: parameters) }

    mutating func read(_ field: WireField, from reader: inout WireReader) throws(WireError) {
        switch field.number {
        case 1: try reader.messages(field, into: &parameters)
        default: try reader.skip(field)
        }
    }

    func write(to writer: inout WireWriter) {
        writer.messages(1, parameters)
    }
}

struct PaletteKind: MergingMessage {
    static let unset = PaletteKind(maximumStops: 0, maximumNameBytes: 0)
    var maximumStops: UInt32
    var maximumNameBytes: UInt32

    var kind: SettingKind { .palette(maximumStops: maximumStops, maximumNameBytes: maximumNameBytes) }

    mutating func read(_ field: WireField, from reader: inout WireReader) throws(WireError) {
        switch field.number {
        case 1: try reader.uint32(field, into: &maximumStops)
        case 2: try reader.uint32(field, into: &maximumNameBytes)
        default: try reader.skip(field)
        }
    }

    func write(to writer: inout WireWriter) {
        writer.uint32(1, maximumStops)
        writer.uint32(2, maximumNameBytes)
    }
}

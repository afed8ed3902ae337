extension SettingDescriptor: MergingMessage {
    static let unset = SettingDescriptor(setting: "", title: "", kind: .unknown)

    public init(from reader: inout WireReader) throws(WireError) {
        try self.init(merging: &reader)
    }

    mutating func read(_ field: WireField, from reader: inout WireReader) throws(WireError) {
        switch field.number {
        case 1: try reader.string(field, into: &setting)
        case 2: try reader.string(field, into: &title)
        case 3: try reader.string(field, into: &unit)
        case 4: try reader.string(field, into: &capability)
        case 5: try reader.bool(field, into: &isTemporary)
        case 10...14: kind = try kind.reading(field, from: &reader) ?? kind
        default: try reader.skip(field)
        }
    }

    public func write(to writer: inout WireWriter) {
        writer.string(1, setting)
        writer.string(2, title)
        writer.string(3, unit)
        writer.string(4, capability)
        writer.bool(5, isTemporary)
        kind.write(to: &writer)
    }
}

/// The `oneof kind` of a descriptor.
extension SettingKind {
    fileprivate func reading(_ field: WireField, from reader: inout WireReader) throws(WireError) -> SettingKind? {
        switch field.number {
        case 10: try reader.member(field, merging: EmptyMessage?.none).map { _ in .boolean }
        case 11: try reader.member(field, merging: integerKind).map(\.kind)
        case 12: try reader.member(field, merging: enumerationKind).map(\.kind)
        case 13: try reader.member(field, merging: textKind).map(\.kind)
        default: try reader.member(field, merging: structuredKind).map(\.kind)
        }
    }

    fileprivate func write(to writer: inout WireWriter) {
        if case .boolean = self { writer.message(10, EmptyMessage()) }
        if let integerKind { writer.message(11, integerKind) }
        if let enumerationKind { writer.message(12, enumerationKind) }
        if let textKind { writer.message(13, textKind) }
        if let structuredKind { writer.message(14, structuredKind) }
    }

    private var integerKind: IntegerKind? {
        guard case .integer(let minimum, let maximum, let step) = self else { return nil }
        return IntegerKind(minimum: minimum, maximum: maximum, step: step)
    }

    private var enumerationKind: EnumerationKind? {
        guard case .enumeration(let choices) = self else { return nil }
        return EnumerationKind(choices: choices)
    }

    private var textKind: TextKind? {
        guard case .text(let minimumBytes, let maximumBytes) = self else { return nil }
        return TextKind(maximumBytes: maximumBytes, minimumBytes: minimumBytes)
    }

    private var structuredKind: StructuredKind? {
        guard case .structured(let message) = self else { return nil }
        return StructuredKind(message: message)
    }
}

private struct IntegerKind: MergingMessage {
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

private struct EnumerationKind: MergingMessage {
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

private struct TextKind: MergingMessage {
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

private struct StructuredKind: MergingMessage {
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

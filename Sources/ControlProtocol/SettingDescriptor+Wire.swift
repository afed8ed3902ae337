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
        case 6: try reader.bool(field, into: &isSecret)
        case 10...16: kind = try kind.reading(field, from: &reader) ?? kind
        default: try reader.skip(field)
        }
    }

    public func write(to writer: inout WireWriter) {
        writer.string(1, setting)
        writer.string(2, title)
        writer.string(3, unit)
        writer.string(4, capability)
        writer.bool(5, isTemporary)
        writer.bool(6, isSecret)
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
        case 14: try reader.member(field, merging: structuredKind).map(\.kind)
        case 15: try reader.member(field, merging: effectKind).map(\.kind)
        default: try reader.member(field, merging: paletteKind).map(\.kind)
        }
    }

    fileprivate func write(to writer: inout WireWriter) {
        if case .boolean = self { writer.message(10, EmptyMessage()) }
        if let integerKind { writer.message(11, integerKind) }
        if let enumerationKind { writer.message(12, enumerationKind) }
        if let textKind { writer.message(13, textKind) }
        if let structuredKind { writer.message(14, structuredKind) }
        if let effectKind { writer.message(15, effectKind) }
        if let paletteKind { writer.message(16, paletteKind) }
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

    private var effectKind: EffectKind? {
        guard case .effect(let parameters) = self else { return nil }
        return EffectKind(parameters: parameters)
    }

    private var paletteKind: PaletteKind? {
        guard case .palette(let maximumStops, let maximumNameBytes) = self else { return nil }
        return PaletteKind(maximumStops: maximumStops, maximumNameBytes: maximumNameBytes)
    }
}

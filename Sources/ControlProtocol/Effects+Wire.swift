extension EffectParameter: MergingMessage {
    static let unset = EffectParameter(name: "", title: "", kind: .unknown)

    public init(from reader: inout WireReader) throws(WireError) {
        try self.init(merging: &reader)
    }

    mutating func read(_ field: WireField, from reader: inout WireReader) throws(WireError) {
        switch field.number {
        case 1: try reader.string(field, into: &name)
        case 2: try reader.string(field, into: &title)
        case 3: try reader.string(field, into: &unit)
        case 4: try reader.string(field, into: &capability)
        case 10...13: kind = try kind.reading(field, from: &reader) ?? kind
        default: try reader.skip(field)
        }
    }

    public func write(to writer: inout WireWriter) {
        writer.string(1, name)
        writer.string(2, title)
        writer.string(3, unit)
        writer.string(4, capability)
        kind.write(to: &writer)
    }
}

/// The `oneof kind` of a parameter.
extension ParameterKind {
    fileprivate func reading(_ field: WireField, from reader: inout WireReader) throws(WireError) -> ParameterKind? {
        switch field.number {
        case 10: try reader.member(field, merging: EmptyMessage?.none).map { _ in .boolean }
        case 11:
            try reader.member(field, merging: integerKind).map {
                .integer(minimum: $0.minimum, maximum: $0.maximum, step: $0.step)
            }
        case 12: try reader.member(field, merging: enumerationKind).map { .enumeration(choices: $0.choices) }
        default: try reader.member(field, merging: EmptyMessage?.none).map { _ in .colour }
        }
    }

    fileprivate func write(to writer: inout WireWriter) {
        switch self {
        case .boolean: writer.message(10, EmptyMessage())
        case .colour: writer.message(13, EmptyMessage())
        case .integer, .enumeration, .unknown: break
        }
        if let integerKind { writer.message(11, integerKind) }
        if let enumerationKind { writer.message(12, enumerationKind) }
    }

    private var integerKind: IntegerKind? {
        guard case .integer(let minimum, let maximum, let step) = self else { return nil }
        return IntegerKind(minimum: minimum, maximum: maximum, step: step)
    }

    private var enumerationKind: EnumerationKind? {
        guard case .enumeration(let choices) = self else { return nil }
        return EnumerationKind(choices: choices)
    }
}

extension EffectParameterValue: MergingMessage {
    static let unset = EffectParameterValue(name: "", value: .unknown)

    public init(from reader: inout WireReader) throws(WireError) {
        try self.init(merging: &reader)
    }

    /// A member of the `oneof` in another wire type than its own is a field that is not known.
    mutating func read(_ field: WireField, from reader: inout WireReader) throws(WireError) {
        switch (field.number, field.wireType) {
        case (1, .lengthDelimited): try reader.string(field, into: &name)
        case (2, .varint):
            var boolean = false
            try reader.bool(field, into: &boolean)
            value = .boolean(boolean)
        case (3, .varint):
            var integer: Int32 = 0
            try reader.sint32(field, into: &integer)
            value = .integer(integer)
        case (4, .lengthDelimited):
            var choice = ""
            try reader.string(field, into: &choice)
            value = .choice(choice)
        case (5, .varint):
            var colour: UInt32 = 0
            try reader.uint32(field, into: &colour)
            value = .colour(colour)
        default: try reader.keep(field, in: &unknownFields)
        }
    }

    public func write(to writer: inout WireWriter) {
        writer.string(1, name)
        switch value {
        case .boolean(let boolean): writer.presentUInt32(2, boolean ? 1 : 0)
        case .integer(let integer): writer.presentSInt32(3, integer)
        case .choice(let choice): writer.presentString(4, choice)
        case .colour(let colour): writer.presentUInt32(5, colour)
        case .unknown: break
        }
        writer.unknown(unknownFields)
    }
}

extension EffectParameters: MergingMessage {
    static let unset = EffectParameters(values: [])

    public init(from reader: inout WireReader) throws(WireError) {
        try self.init(merging: &reader)
    }

    mutating func read(_ field: WireField, from reader: inout WireReader) throws(WireError) {
        switch (field.number, field.wireType) {
        case (1, .lengthDelimited): try reader.messages(field, into: &values)
        default: try reader.keep(field, in: &unknownFields)
        }
    }

    public func write(to writer: inout WireWriter) {
        writer.messages(1, values)
        writer.unknown(unknownFields)
    }
}

extension ChangeStage: WireEnumeration {
    static let known: [ChangeStage] = [.none, .pending, .applied, .saving, .saved, .saveFailed]

    var number: UInt32 {
        switch self {
        case .none: 0
        case .pending: 1
        case .applied: 2
        case .saving: 3
        case .saved: 4
        case .saveFailed: 5
        case .unknown(let number): number
        }
    }
}

extension SettingRefusalReason: WireEnumeration {
    static let known: [SettingRefusalReason] = [
        .none, .staleRevision, .outOfRange, .readOnly, .capabilityMissing, .wrongMode, .busy, .nameEmpty, .nameTooLong,
        .nameTaken, .nameNotAllowed, .noSpace, .notFound, .sensorFailed,
    ]

    var number: UInt32 {
        switch self {
        case .none: 0
        case .staleRevision: 1
        case .outOfRange: 2
        case .readOnly: 3
        case .capabilityMissing: 4
        case .wrongMode: 5
        case .busy: 6
        case .nameEmpty: 7
        case .nameTooLong: 8
        case .nameTaken: 9
        case .nameNotAllowed: 10
        case .noSpace: 11
        case .notFound: 12
        case .sensorFailed: 13
        case .unknown(let number): number
        }
    }
}

extension Change: MergingMessage {
    static let unset = Change(id: 0, revision: 0, stage: .none, properties: [])

    public init(from reader: inout WireReader) throws(WireError) {
        try self.init(merging: &reader)
    }

    mutating func read(_ field: WireField, from reader: inout WireReader) throws(WireError) {
        switch field.number {
        case 1: try reader.uint32(field, into: &id)
        case 2: try reader.uint32(field, into: &revision)
        case 3: try reader.enumeration(field, into: &stage)
        case 4: try reader.uint32s(field, into: &properties)
        default: try reader.skip(field)
        }
    }

    public func write(to writer: inout WireWriter) {
        writer.uint32(1, id)
        writer.uint32(2, revision)
        writer.enumeration(3, stage)
        writer.packed(4, properties)
    }
}

extension SettingRefusal: MergingMessage {
    static let unset = SettingRefusal(changeID: 0, property: 0, reason: .none)

    public init(from reader: inout WireReader) throws(WireError) {
        try self.init(merging: &reader)
    }

    mutating func read(_ field: WireField, from reader: inout WireReader) throws(WireError) {
        switch field.number {
        case 1: try reader.uint32(field, into: &changeID)
        case 2: try reader.uint32(field, into: &property)
        case 3: try reader.enumeration(field, into: &reason)
        default: try reader.skip(field)
        }
    }

    public func write(to writer: inout WireWriter) {
        writer.uint32(1, changeID)
        writer.uint32(2, property)
        writer.enumeration(3, reason)
    }
}

extension Battery: MergingMessage {
    static let unset = Battery(percent: 0, percentNeededForUpdate: 0)

    public init(from reader: inout WireReader) throws(WireError) {
        try self.init(merging: &reader)
    }

    mutating func read(_ field: WireField, from reader: inout WireReader) throws(WireError) {
        switch field.number {
        case 1: try reader.uint32(field, into: &percent)
        case 2: try reader.uint32(field, into: &percentNeededForUpdate)
        default: try reader.skip(field)
        }
    }

    public func write(to writer: inout WireWriter) {
        writer.uint32(1, percent)
        writer.uint32(2, percentNeededForUpdate)
    }
}

extension EarsState: MergingMessage {
    static let unset = EarsState(revision: 0)

    public init(from reader: inout WireReader) throws(WireError) {
        try self.init(merging: &reader)
    }

    mutating func read(_ field: WireField, from reader: inout WireReader) throws(WireError) {
        switch field.number {
        case 1: try reader.uint32(field, into: &revision)
        case 2: try reader.message(field, into: &lastChange)
        case 3: try reader.message(field, into: &lastRefusal)
        case 4: try reader.message(field, into: &battery)
        default: try reader.skip(field)
        }
    }

    public func write(to writer: inout WireWriter) {
        writer.uint32(1, revision)
        if let lastChange { writer.message(2, lastChange) }
        if let lastRefusal { writer.message(3, lastRefusal) }
        if let battery { writer.message(4, battery) }
    }
}

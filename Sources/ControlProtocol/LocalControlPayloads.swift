/// `RespGetPropertyCount`.
struct PropertyCountReply: MergingMessage {
    static let unset = PropertyCountReply(status: .success, count: 0)
    var status: LocalControlStatus
    var count: UInt32

    mutating func read(_ field: WireField, from reader: inout WireReader) throws(WireError) {
        switch field.number {
        case 1: try reader.enumeration(field, into: &status)
        case 2: try reader.uint32(field, into: &count)
        default: try reader.skip(field)
        }
    }

    func write(to writer: inout WireWriter) {
        writer.enumeration(1, status)
        writer.uint32(2, count)
    }
}

/// `CmdGetPropertyValues`.
struct GetPropertyValues: MergingMessage {
    static let unset = GetPropertyValues(indices: [])
    var indices: [UInt32]

    mutating func read(_ field: WireField, from reader: inout WireReader) throws(WireError) {
        switch field.number {
        case 1: try reader.uint32s(field, into: &indices)
        default: try reader.skip(field)
        }
    }

    func write(to writer: inout WireWriter) {
        writer.packed(1, indices)
    }
}

/// `RespGetPropertyValues`.
struct PropertyValuesReply: MergingMessage {
    static let unset = PropertyValuesReply(status: .success, properties: [])
    var status: LocalControlStatus
    var properties: [PropertyInfo]

    mutating func read(_ field: WireField, from reader: inout WireReader) throws(WireError) {
        switch field.number {
        case 1: try reader.enumeration(field, into: &status)
        case 2: try reader.messages(field, into: &properties)
        default: try reader.skip(field)
        }
    }

    func write(to writer: inout WireWriter) {
        writer.enumeration(1, status)
        writer.messages(2, properties)
    }
}

/// `CmdSetPropertyValues`.
struct SetPropertyValues: MergingMessage {
    static let unset = SetPropertyValues(properties: [])
    var properties: [PropertyValue]

    mutating func read(_ field: WireField, from reader: inout WireReader) throws(WireError) {
        switch field.number {
        case 1: try reader.messages(field, into: &properties)
        default: try reader.skip(field)
        }
    }

    func write(to writer: inout WireWriter) {
        writer.messages(1, properties)
    }
}

/// `RespSetPropertyValues` and `S0SessionResp`: a status alone.
struct StatusReply: MergingMessage {
    static let unset = StatusReply(status: .success)
    var status: LocalControlStatus

    mutating func read(_ field: WireField, from reader: inout WireReader) throws(WireError) {
        switch field.number {
        case 1: try reader.enumeration(field, into: &status)
        default: try reader.skip(field)
        }
    }

    func write(to writer: inout WireWriter) {
        writer.enumeration(1, status)
    }
}

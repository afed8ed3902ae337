extension LocalControlStatus: WireEnumeration {
    static let known: [LocalControlStatus] = [
        .success, .invalidSecurityScheme, .invalidProtocol, .tooManySessions, .invalidArgument, .internalError,
        .cryptoError, .invalidSession,
    ]

    var number: UInt32 {
        switch self {
        case .success: 0
        case .invalidSecurityScheme: 1
        case .invalidProtocol: 2
        case .tooManySessions: 3
        case .invalidArgument: 4
        case .internalError: 5
        case .cryptoError: 6
        case .invalidSession: 7
        case .unknown(let number): number
        }
    }
}

extension PropertyInfo: MergingMessage {
    static let unset = PropertyInfo(name: "", type: .timestamp, value: [])

    public init(from reader: inout WireReader) throws(WireError) {
        try self.init(merging: &reader)
    }

    mutating func read(_ field: WireField, from reader: inout WireReader) throws(WireError) {
        switch field.number {
        case 1: try reader.enumeration(field, into: &status)
        case 2: try reader.string(field, into: &name)
        case 3:
            var number = type.rawValue
            try reader.uint32(field, into: &number)
            type = PropertyType(rawValue: number)
        case 4:
            var bits = flags.rawValue
            try reader.uint32(field, into: &bits)
            flags = PropertyFlags(rawValue: bits)
        case 5: try reader.bytes(field, into: &value)
        default: try reader.skip(field)
        }
    }

    public func write(to writer: inout WireWriter) {
        writer.enumeration(1, status)
        writer.string(2, name)
        writer.uint32(3, type.rawValue)
        writer.uint32(4, flags.rawValue)
        writer.bytes(5, value)
    }
}

extension PropertyValue: MergingMessage {
    static let unset = PropertyValue(index: 0, value: [])

    public init(from reader: inout WireReader) throws(WireError) {
        try self.init(merging: &reader)
    }

    mutating func read(_ field: WireField, from reader: inout WireReader) throws(WireError) {
        switch field.number {
        case 1: try reader.uint32(field, into: &index)
        case 2: try reader.bytes(field, into: &value)
        default: try reader.skip(field)
        }
    }

    public func write(to writer: inout WireWriter) {
        writer.uint32(1, index)
        writer.bytes(2, value)
    }
}

extension LocalControlRequest: WireMessage {
    public init(from reader: inout WireReader) throws(WireError) {
        let message = try LocalControlMessage(from: &reader)
        switch try message.checkedPayload(ofTypes: LocalControlMessage.requestTypes) {
        case .getPropertyCount: self = .propertyCount
        case .getPropertyValues(let command): self = .propertyValues(indices: command.indices)
        case .setPropertyValues(let command): self = .setPropertyValues(command.properties)
        case .propertyCount, .propertyValues, .propertyValuesSet:
            throw .unexpectedMessageType(message.type)
        }
    }

    public func write(to writer: inout WireWriter) {
        LocalControlMessage(payload).write(to: &writer)
    }

    private var payload: LocalControlMessage.Payload {
        switch self {
        case .propertyCount: .getPropertyCount(EmptyMessage())
        case .propertyValues(let indices): .getPropertyValues(GetPropertyValues(indices: indices))
        case .setPropertyValues(let properties): .setPropertyValues(SetPropertyValues(properties: properties))
        }
    }
}

extension LocalControlResponse: WireMessage {
    public init(from reader: inout WireReader) throws(WireError) {
        let message = try LocalControlMessage(from: &reader)
        switch try message.checkedPayload(ofTypes: LocalControlMessage.responseTypes) {
        case .propertyCount(let reply): self = .propertyCount(status: reply.status, count: reply.count)
        case .propertyValues(let reply): self = .propertyValues(status: reply.status, properties: reply.properties)
        case .propertyValuesSet(let reply): self = .setPropertyValues(status: reply.status)
        case .getPropertyCount, .getPropertyValues, .setPropertyValues:
            throw .unexpectedMessageType(message.type)
        }
    }

    public func write(to writer: inout WireWriter) {
        LocalControlMessage(payload).write(to: &writer)
    }

    private var payload: LocalControlMessage.Payload {
        switch self {
        case .propertyCount(let status, let count): .propertyCount(PropertyCountReply(status: status, count: count))
        case .propertyValues(let status, let properties):
            .propertyValues(PropertyValuesReply(status: status, properties: properties))
        case .setPropertyValues(let status): .propertyValuesSet(StatusReply(status: status))
        }
    }
}

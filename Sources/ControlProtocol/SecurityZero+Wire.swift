extension SecurityZeroMessage: WireMessage {
    public init(from reader: inout WireReader) throws(WireError) {
        let data = try SessionData(from: &reader)
        guard data.securityScheme == 0 else { throw .unsupportedSecurityScheme(data.securityScheme) }
        guard let message = data.securityZero, let payload = message.payload else { throw .missingPayload }
        switch (message.type, payload) {
        case (0, .command): self = .command
        case (1, .response(let reply)): self = .response(status: reply.status)
        case (0...1, _): throw .payloadMismatch(messageType: message.type, payloadField: payload.fieldNumber)
        default: throw .unexpectedMessageType(message.type)
        }
    }

    public func write(to writer: inout WireWriter) {
        let message =
            switch self {
            case .command: SecurityZeroPayload(type: 0, payload: .command(EmptyMessage()))
            case .response(let status): SecurityZeroPayload(type: 1, payload: .response(StatusReply(status: status)))
            }
        SessionData(securityScheme: 0, securityZero: message).write(to: &writer)
    }
}

/// `SessionData`. The payloads of the other schemes are unknown fields here.
private struct SessionData: MergingMessage {
    static let unset = SessionData(securityScheme: 0, securityZero: nil)
    var securityScheme: UInt32
    var securityZero: SecurityZeroPayload?

    mutating func read(_ field: WireField, from reader: inout WireReader) throws(WireError) {
        switch field.number {
        case 2: try reader.uint32(field, into: &securityScheme)
        case 10: try reader.message(field, into: &securityZero)
        default: try reader.skip(field)
        }
    }

    func write(to writer: inout WireWriter) {
        writer.uint32(2, securityScheme)
        if let securityZero { writer.message(10, securityZero) }
    }
}

/// `Sec0Payload`.
private struct SecurityZeroPayload: MergingMessage {
    enum Payload: Hashable, Sendable {
        case command(EmptyMessage)
        case response(StatusReply)

        var fieldNumber: UInt32 {
            switch self {
            case .command: 20
            case .response: 21
            }
        }
    }

    static let unset = SecurityZeroPayload(type: 0, payload: nil)
    var type: UInt32
    var payload: Payload?

    mutating func read(_ field: WireField, from reader: inout WireReader) throws(WireError) {
        switch field.number {
        case 1: try reader.uint32(field, into: &type)
        case 20:
            payload = try reader.member(field, merging: EmptyMessage?.none).map(Payload.command) ?? payload
        case 21:
            let current: StatusReply? = if case .response(let message) = payload { message } else { nil }
            payload = try reader.member(field, merging: current).map(Payload.response) ?? payload
        default: try reader.skip(field)
        }
    }

    func write(to writer: inout WireWriter) {
        writer.uint32(1, type)
        switch payload {
        case .command(let message): writer.message(20, message)
        case .response(let message): writer.message(21, message)
        case nil: break
        }
    }
}

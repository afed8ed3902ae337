public import ControlProtocol

/// What goes over the attribute protocol between this machine and the ears (Core specification, Vol 3 Part F 3.4).
public enum AttributePacket: Hashable, Sendable {
    case request(AttributeRequest)
    /// Without a response: to the stream characteristic, which alone takes them.
    case command([UInt8])
    case reply(AttributeReply)
    case notification([UInt8])

    /// Of the whole packet.
    var bytes: Int {
        switch self {
        case .request(let request): request.bytes
        case .command(let value), .notification(let value): 3 + value.count
        case .reply(let reply): reply.bytes
        }
    }
}

/// One at a time; each is answered.
public enum AttributeRequest: Hashable, Sendable {
    case write(EndpointName, [UInt8])
    /// A part of a long write, which the peripheral sends back; the writes behind one another, from offset 0.
    case prepareWrite(EndpointName, part: [UInt8])
    case executeWrite
    case read(EndpointName)
    /// The rest of a long value.
    case readBlob(EndpointName, offset: Int)
    /// The descriptor 0x2901.
    case readName(EndpointName)
    /// Of the client characteristic configuration.
    case subscribe(Bool)

    var bytes: Int {
        switch self {
        case .write(_, let value): 3 + value.count
        case .prepareWrite(_, let part): 5 + part.count
        case .executeWrite: 2
        case .read, .readName: 3
        case .readBlob: 5
        case .subscribe: 5
        }
    }
}

public enum AttributeReply: Hashable, Sendable {
    case written
    case prepared([UInt8])
    case executed
    case value([UInt8])
    case refused(AttributeError)

    var bytes: Int {
        switch self {
        case .written, .executed: 1
        case .prepared(let part): 5 + part.count
        case .value(let value): 1 + value.count
        case .refused: 5
        }
    }
}

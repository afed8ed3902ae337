extension AudioRequest: WireMessage {
    public init(from reader: inout WireReader) throws(WireError) {
        let message = try AudioRequestMessage(from: &reader)
        guard let request = message.request else { throw .missingPayload }
        switch request {
        case .status: self = .status
        case .start(let start):
            self = .start(session: start.session, mode: start.mode, milliseconds: start.milliseconds)
        case .read(let read): self = .read(session: read.session, offset: read.offset, length: read.length)
        case .stop(let stop): self = .stop(session: stop.session)
        }
    }

    public func write(to writer: inout WireWriter) {
        switch self {
        case .status: writer.message(1, EmptyMessage())
        case .start(let session, let mode, let milliseconds):
            writer.message(2, StartRequest(session: session, mode: mode, milliseconds: milliseconds))
        case .read(let session, let offset, let length):
            writer.message(3, ReadRequest(session: session, offset: offset, length: length))
        case .stop(let session): writer.message(4, StopRequest(session: session))
        }
    }
}

/// `AudioRequest` as it lies on the wire, where its `oneof` may be empty.
private struct AudioRequestMessage: MergingMessage {
    enum Request: Hashable, Sendable {
        case status
        case start(StartRequest)
        case read(ReadRequest)
        case stop(StopRequest)
    }

    static let unset = AudioRequestMessage()
    var request: Request?

    mutating func read(_ field: WireField, from reader: inout WireReader) throws(WireError) {
        switch field.number {
        case 1: request = try reader.member(field, merging: EmptyMessage?.none).map { _ in .status } ?? request
        case 2:
            let current: StartRequest? = if case .start(let message) = request { message } else { nil }
            request = try reader.member(field, merging: current).map(Request.start) ?? request
        case 3:
            let current: ReadRequest? = if case .read(let message) = request { message } else { nil }
            request = try reader.member(field, merging: current).map(Request.read) ?? request
        case 4:
            let current: StopRequest? = if case .stop(let message) = request { message } else { nil }
            request = try reader.member(field, merging: current).map(Request.stop) ?? request
        default: try reader.skip(field)
        }
    }

    func write(to writer: inout WireWriter) {
        switch request {
        case .status: writer.message(1, EmptyMessage())
        case .start(let message): writer.message(2, message)
        case .read(let message): writer.message(3, message)
        case .stop(let message): writer.message(4, message)
        case nil: break
        }
    }
}

private struct StartRequest: MergingMessage {
    static let unset = StartRequest(session: 0, mode: .none, milliseconds: 0)
    var session: UInt32
    var mode: AudioMode
    var milliseconds: UInt32

    mutating func read(_ field: WireField, from reader: inout WireReader) throws(WireError) {
        switch field.number {
        case 1: try reader.uint32(field, into: &session)
        case 2: try reader.enumeration(field, into: &mode)
        case 3: try reader.uint32(field, into: &milliseconds)
        default: try reader.skip(field)
        }
    }

    func write(to writer: inout WireWriter) {
        writer.uint32(1, session)
        writer.enumeration(2, mode)
        writer.uint32(3, milliseconds)
    }
}

private struct ReadRequest: MergingMessage {
    static let unset = ReadRequest(session: 0, offset: 0, length: 0)
    var session: UInt32
    var offset: UInt32
    var length: UInt32

    mutating func read(_ field: WireField, from reader: inout WireReader) throws(WireError) {
        switch field.number {
        case 1: try reader.uint32(field, into: &session)
        case 2: try reader.uint32(field, into: &offset)
        case 3: try reader.uint32(field, into: &length)
        default: try reader.skip(field)
        }
    }

    func write(to writer: inout WireWriter) {
        writer.uint32(1, session)
        writer.uint32(2, offset)
        writer.uint32(3, length)
    }
}

private struct StopRequest: MergingMessage {
    static let unset = StopRequest(session: 0)
    var session: UInt32

    mutating func read(_ field: WireField, from reader: inout WireReader) throws(WireError) {
        switch field.number {
        case 1: try reader.uint32(field, into: &session)
        default: try reader.skip(field)
        }
    }

    func write(to writer: inout WireWriter) {
        writer.uint32(1, session)
    }
}

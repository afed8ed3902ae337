extension UpdateRequest: WireMessage {
    static let chunkField: UInt32 = 3

    public init(from reader: inout WireReader) throws(WireError) {
        let message = try UpdateRequestMessage(from: &reader)
        guard let request = message.request else { throw .missingPayload }
        switch request {
        case .status: self = .status
        case .begin(let begin):
            self = .begin(size: begin.size, sha256: begin.sha256, family: begin.family, version: begin.version)
        case .chunk(let chunk): self = .chunk(session: chunk.session, offset: chunk.offset, data: chunk.data)
        case .finish(let finish): self = .finish(session: finish.session)
        case .abort(let abort): self = .abort(session: abort.session)
        case .restart: self = .restart
        }
    }

    public func write(to writer: inout WireWriter) {
        switch self {
        case .status: writer.message(1, EmptyMessage())
        case .begin(let size, let sha256, let family, let version):
            writer.message(2, BeginRequest(size: size, sha256: sha256, family: family, version: version))
        case .chunk(let session, let offset, let data):
            writer.message(Self.chunkField, ChunkRequest(session: session, offset: offset, data: data))
        case .finish(let session): writer.message(4, SessionRequest(session: session))
        case .abort(let session): writer.message(5, SessionRequest(session: session))
        case .restart: writer.message(6, EmptyMessage())
        }
    }
}

/// `UpdateRequest` as it lies on the wire, where its `oneof` may be empty.
private struct UpdateRequestMessage: MergingMessage {
    enum Request: Hashable, Sendable {
        case status
        case begin(BeginRequest)
        case chunk(ChunkRequest)
        case finish(SessionRequest)
        case abort(SessionRequest)
        case restart
    }

    static let unset = UpdateRequestMessage()
    var request: Request?

    mutating func read(_ field: WireField, from reader: inout WireReader) throws(WireError) {
        switch field.number {
        case 1: request = try reader.member(field, merging: EmptyMessage?.none).map { _ in .status } ?? request
        case 2:
            let current: BeginRequest? = if case .begin(let message) = request { message } else { nil }
            request = try reader.member(field, merging: current).map(Request.begin) ?? request
        case 3:
            let current: ChunkRequest? = if case .chunk(let message) = request { message } else { nil }
            request = try reader.member(field, merging: current).map(Request.chunk) ?? request
        case 4:
            let current: SessionRequest? = if case .finish(let message) = request { message } else { nil }
            request = try reader.member(field, merging: current).map(Request.finish) ?? request
        case 5:
            let current: SessionRequest? = if case .abort(let message) = request { message } else { nil }
            request = try reader.member(field, merging: current).map(Request.abort) ?? request
        case 6: request = try reader.member(field, merging: EmptyMessage?.none).map { _ in .restart } ?? request
        default: try reader.skip(field)
        }
    }

    func write(to writer: inout WireWriter) {
        switch request {
        case .status: writer.message(1, EmptyMessage())
        case .begin(let message): writer.message(2, message)
        case .chunk(let message): writer.message(3, message)
        case .finish(let message): writer.message(4, message)
        case .abort(let message): writer.message(5, message)
        case .restart: writer.message(6, EmptyMessage())
        case nil: break
        }
    }
}

private struct BeginRequest: MergingMessage {
    static let unset = BeginRequest(size: 0, sha256: [], family: "", version: "")
    var size: UInt32
    var sha256: [UInt8]
    var family: String
    var version: String

    mutating func read(_ field: WireField, from reader: inout WireReader) throws(WireError) {
        switch field.number {
        case 1: try reader.uint32(field, into: &size)
        case 2: try reader.bytes(field, into: &sha256)
        case 3: try reader.string(field, into: &family)
        case 4: try reader.string(field, into: &version)
        default: try reader.skip(field)
        }
    }

    func write(to writer: inout WireWriter) {
        writer.uint32(1, size)
        writer.bytes(2, sha256)
        writer.string(3, family)
        writer.string(4, version)
    }
}

struct ChunkRequest: MergingMessage {
    static let unset = ChunkRequest(session: 0, offset: 0, data: [])
    static let dataField: UInt32 = 3
    var session: UInt32
    var offset: UInt32
    var data: [UInt8]

    mutating func read(_ field: WireField, from reader: inout WireReader) throws(WireError) {
        switch field.number {
        case 1: try reader.uint32(field, into: &session)
        case 2: try reader.uint32(field, into: &offset)
        case Self.dataField: try reader.bytes(field, into: &data)
        default: try reader.skip(field)
        }
    }

    func write(to writer: inout WireWriter) {
        writer.uint32(1, session)
        writer.uint32(2, offset)
        writer.bytes(Self.dataField, data)
    }
}

/// `FinishRequest` and `AbortRequest`.
private struct SessionRequest: MergingMessage {
    static let unset = SessionRequest(session: 0)
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

extension AudioState: WireEnumeration {
    static let known: [AudioState] = [.idle, .running, .complete, .failed]

    var number: UInt32 {
        switch self {
        case .idle: 0
        case .running: 1
        case .complete: 2
        case .failed: 3
        case .unknown(let number): number
        }
    }
}

/// 0 is no refusal, nil in Swift.
extension AudioRefusal: WireEnumeration {
    static let known: [AudioRefusal] = [
        .malformed, .sessionOpen, .wrongSession, .wrongMode, .capabilityMissing, .outOfRange, .busy, .wrongOffset,
        .microphoneError, .outOfMemory,
    ]

    var number: UInt32 {
        switch self {
        case .malformed: 1
        case .sessionOpen: 2
        case .wrongSession: 3
        case .wrongMode: 4
        case .capabilityMissing: 5
        case .outOfRange: 6
        case .busy: 7
        case .wrongOffset: 8
        case .microphoneError: 9
        case .outOfMemory: 10
        case .unknown(let number): number
        }
    }
}

extension AudioData: MergingMessage {
    static let unset = AudioData(offset: 0, block: 0)

    public init(from reader: inout WireReader) throws(WireError) {
        try self.init(merging: &reader)
    }

    mutating func read(_ field: WireField, from reader: inout WireReader) throws(WireError) {
        switch field.number {
        case 1: try reader.uint32(field, into: &offset)
        case 2: try reader.uint32(field, into: &block)
        case 3: try reader.bytes(field, into: &data)
        case 4: try reader.uint32(field, into: &droppedBlocks)
        default: try reader.skip(field)
        }
    }

    public func write(to writer: inout WireWriter) {
        writer.uint32(1, offset)
        writer.uint32(2, block)
        writer.bytes(3, data)
        writer.uint32(4, droppedBlocks)
    }
}

extension AudioReply: MergingMessage {
    static let unset = AudioReply(session: 0, state: .idle, silenceLimit: 0)

    public init(from reader: inout WireReader) throws(WireError) {
        try self.init(merging: &reader)
    }

    mutating func read(_ field: WireField, from reader: inout WireReader) throws(WireError) {
        switch field.number {
        case 1: try reader.uint32(field, into: &session)
        case 2: try reader.enumeration(field, into: &state)
        case 3: try reader.uint32(field, into: &blocks)
        case 4: try reader.uint32(field, into: &droppedBlocks)
        case 5:
            var number = refusal?.number ?? 0
            try reader.uint32(field, into: &number)
            refusal = number == 0 ? nil : AudioRefusal(number: number)
        case 6: try reader.uint32(field, into: &deviceError)
        case 7: try reader.uint32(field, into: &silenceLimit)
        case 8: try reader.message(field, into: &status)
        case 9: try reader.message(field, into: &data)
        default: try reader.skip(field)
        }
    }

    public func write(to writer: inout WireWriter) {
        writer.uint32(1, session)
        writer.enumeration(2, state)
        writer.uint32(3, blocks)
        writer.uint32(4, droppedBlocks)
        if let refusal { writer.enumeration(5, refusal) }
        writer.uint32(6, deviceError)
        writer.uint32(7, silenceLimit)
        if let status { writer.message(8, status) }
        if let data { writer.message(9, data) }
    }
}

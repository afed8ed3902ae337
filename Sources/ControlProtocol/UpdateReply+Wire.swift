extension UpdateState: WireEnumeration {
    static let known: [UpdateState] = [.idle, .erasing, .receiving, .verifying, .accepted, .selected, .failed]

    var number: UInt32 {
        switch self {
        case .idle: 0
        case .erasing: 1
        case .receiving: 2
        case .verifying: 3
        case .accepted: 4
        case .selected: 5
        case .failed: 6
        case .unknown(let number): number
        }
    }
}

/// 0 is no refusal, nil in Swift.
extension UpdateRefusal: WireEnumeration {
    static let known: [UpdateRefusal] = [
        .malformed, .sessionOpen, .wrongSession, .wrongState, .wrongOffset, .tooLarge, .wrongFamily, .trialPending,
        .batteryLow, .hashMismatch, .imageInvalid, .flashError, .busy, .incomplete,
    ]

    var number: UInt32 {
        switch self {
        case .malformed: 1
        case .sessionOpen: 2
        case .wrongSession: 3
        case .wrongState: 4
        case .wrongOffset: 5
        case .tooLarge: 6
        case .wrongFamily: 7
        case .trialPending: 8
        case .batteryLow: 9
        case .hashMismatch: 10
        case .imageInvalid: 11
        case .flashError: 12
        case .busy: 13
        case .incomplete: 14
        case .unknown(let number): number
        }
    }
}

extension UpdateReply: MergingMessage {
    static let unset = UpdateReply(session: 0, state: .idle, nextOffset: 0, silenceLimit: 0)

    public init(from reader: inout WireReader) throws(WireError) {
        try self.init(merging: &reader)
    }

    mutating func read(_ field: WireField, from reader: inout WireReader) throws(WireError) {
        switch field.number {
        case 1: try reader.uint32(field, into: &session)
        case 2: try reader.enumeration(field, into: &state)
        case 3: try reader.uint32(field, into: &nextOffset)
        case 4:
            var number = refusal?.number ?? 0
            try reader.uint32(field, into: &number)
            refusal = number == 0 ? nil : UpdateRefusal(number: number)
        case 5: try reader.uint32(field, into: &deviceError)
        case 6: try reader.uint32(field, into: &silenceLimit)
        case 7: try reader.message(field, into: &status)
        default: try reader.skip(field)
        }
    }

    public func write(to writer: inout WireWriter) {
        writer.uint32(1, session)
        writer.enumeration(2, state)
        writer.uint32(3, nextOffset)
        if let refusal { writer.enumeration(4, refusal) }
        writer.uint32(5, deviceError)
        writer.uint32(6, silenceLimit)
        if let status { writer.message(7, status) }
    }
}

extension StorageHealth: WireEnumeration {
    static let known: [StorageHealth] = [.notReported, .good, .damaged, .repairing, .repairFailed]

    var number: UInt32 {
        switch self {
        case .notReported: 0
        case .good: 1
        case .damaged: 2
        case .repairing: 3
        case .repairFailed: 4
        case .unknown(let number): number
        }
    }
}

extension StorageState: MergingMessage {
    static let unset = StorageState(health: .notReported)

    public init(from reader: inout WireReader) throws(WireError) {
        try self.init(merging: &reader)
    }

    mutating func read(_ field: WireField, from reader: inout WireReader) throws(WireError) {
        switch field.number {
        case 1: try reader.enumeration(field, into: &health)
        case 2: try reader.strings(field, into: &lostByRepair)
        case 3: try reader.uint32(field, into: &repairedBy)
        default: try reader.skip(field)
        }
    }

    public func write(to writer: inout WireWriter) {
        writer.enumeration(1, health)
        writer.strings(2, lostByRepair)
        writer.uint32(3, repairedBy)
    }
}

extension StorageCommand: WireMessage {
    /// - Throws: ``WireError/missingPayload`` for a command that this build does not know.
    public init(from reader: inout WireReader) throws(WireError) {
        var command: StorageCommand?
        while let field = try reader.nextField() {
            switch field.number {
            case 1: command = try reader.member(field, merging: EmptyMessage?.none).map { _ in .repair } ?? command
            default: try reader.skip(field)
            }
        }
        guard let command else { throw .missingPayload }
        self = command
    }

    public func write(to writer: inout WireWriter) {
        switch self {
        case .repair: writer.message(1, EmptyMessage())
        }
    }
}

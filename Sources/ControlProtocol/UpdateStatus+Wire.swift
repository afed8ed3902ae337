extension ResetReason: WireEnumeration {
    static let known: [ResetReason] = [.notReported, .powerOn, .software, .panic, .watchdog, .brownout]

    var number: UInt32 {
        switch self {
        case .notReported: 0
        case .powerOn: 1
        case .software: 2
        case .panic: 3
        case .watchdog: 4
        case .brownout: 5
        case .unknown(let number): number
        }
    }
}

extension OTAState: WireEnumeration {
    static let known: [OTAState] = [.new, .pendingVerify, .valid, .invalid, .aborted, .undefined]

    var number: UInt32 {
        switch self {
        case .new: 0
        case .pendingVerify: 1
        case .valid: 2
        case .invalid: 3
        case .aborted: 4
        case .undefined: .max
        case .unknown(let number): number
        }
    }
}

extension Slot: MergingMessage {
    static let unset = Slot(index: 0, capacity: 0, imageDigest: [], version: "", project: "", otaState: .new)

    public init(from reader: inout WireReader) throws(WireError) {
        try self.init(merging: &reader)
    }

    mutating func read(_ field: WireField, from reader: inout WireReader) throws(WireError) {
        switch field.number {
        case 1: try reader.uint32(field, into: &index)
        case 2: try reader.uint32(field, into: &capacity)
        case 3: try reader.bytes(field, into: &imageDigest)
        case 4: try reader.string(field, into: &version)
        case 5: try reader.string(field, into: &project)
        case 6: try reader.enumeration(field, into: &otaState)
        default: try reader.skip(field)
        }
    }

    public func write(to writer: inout WireWriter) {
        writer.uint32(1, index)
        writer.uint32(2, capacity)
        writer.bytes(3, imageDigest)
        writer.string(4, version)
        writer.string(5, project)
        // A `uint32`, so that UNDEFINED takes five bytes and not ten.
        writer.uint32(6, otaState.number)
    }
}

extension UpdateStatus: MergingMessage {
    static let unset = UpdateStatus(
        runningSlot: 0, selectedSlot: 0, slots: [], bootCount: 0, resetReason: .notReported, batteryPercent: nil,
        batteryPercentNeeded: 0, sessionSize: 0, sessionSHA256: [], hasRollback: false)

    public init(from reader: inout WireReader) throws(WireError) {
        try self.init(merging: &reader)
    }

    mutating func read(_ field: WireField, from reader: inout WireReader) throws(WireError) {
        switch field.number {
        case 1: try reader.uint32(field, into: &runningSlot)
        case 2: try reader.uint32(field, into: &selectedSlot)
        case 3: try reader.messages(field, into: &slots)
        case 4: try reader.uint32(field, into: &bootCount)
        case 5: try reader.enumeration(field, into: &resetReason)
        case 6: try reader.uint32(field, into: &batteryPercent)
        case 7: try reader.uint32(field, into: &batteryPercentNeeded)
        case 8: try reader.uint32(field, into: &sessionSize)
        case 9: try reader.bytes(field, into: &sessionSHA256)
        case 10: try reader.bool(field, into: &hasRollback)
        default: try reader.skip(field)
        }
    }

    public func write(to writer: inout WireWriter) {
        writer.uint32(1, runningSlot)
        writer.uint32(2, selectedSlot)
        writer.messages(3, slots)
        writer.uint32(4, bootCount)
        writer.enumeration(5, resetReason)
        if let batteryPercent { writer.presentUInt32(6, batteryPercent) }
        writer.uint32(7, batteryPercentNeeded)
        writer.uint32(8, sessionSize)
        writer.bytes(9, sessionSHA256)
        writer.bool(10, hasRollback)
    }
}

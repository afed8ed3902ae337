extension CalibrationPhase: WireEnumeration {
    static let known: [CalibrationPhase] = [.none, .running, .saving, .saved, .saveFailed, .failed]

    var number: UInt32 {
        switch self {
        case .none: 0
        case .running: 1
        case .saving: 2
        case .saved: 3
        case .saveFailed: 4
        case .failed: 5
        case .unknown(let number): number
        }
    }
}

extension CalibrationFailure: WireEnumeration {
    static let known: [CalibrationFailure] = [.none, .moved, .timedOut, .sensorFailed, .cancelled]

    var number: UInt32 {
        switch self {
        case .none: 0
        case .moved: 1
        case .timedOut: 2
        case .sensorFailed: 3
        case .cancelled: 4
        case .unknown(let number): number
        }
    }
}

extension Calibration: MergingMessage {
    static let unset = Calibration(changeID: 0, phase: .none, still: 0, stillNeeded: 0, elapsed: 0, window: 0)

    public init(from reader: inout WireReader) throws(WireError) {
        try self.init(merging: &reader)
    }

    mutating func read(_ field: WireField, from reader: inout WireReader) throws(WireError) {
        switch field.number {
        case 1: try reader.uint32(field, into: &changeID)
        case 2: try reader.enumeration(field, into: &phase)
        case 3: try reader.enumeration(field, into: &failure)
        case 4: try reader.uint32(field, into: &still)
        case 5: try reader.uint32(field, into: &stillNeeded)
        case 6: try reader.uint32(field, into: &elapsed)
        case 7: try reader.uint32(field, into: &window)
        default: try reader.skip(field)
        }
    }

    public func write(to writer: inout WireWriter) {
        writer.uint32(1, changeID)
        writer.enumeration(2, phase)
        writer.enumeration(3, failure)
        writer.uint32(4, still)
        writer.uint32(5, stillNeeded)
        writer.uint32(6, elapsed)
        writer.uint32(7, window)
    }
}

extension MotionSensor: MergingMessage {
    static let unset = MotionSensor(name: "", hasFailed: false)

    public init(from reader: inout WireReader) throws(WireError) {
        try self.init(merging: &reader)
    }

    mutating func read(_ field: WireField, from reader: inout WireReader) throws(WireError) {
        switch field.number {
        case 1: try reader.string(field, into: &name)
        case 2: try reader.bool(field, into: &hasFailed)
        default: try reader.skip(field)
        }
    }

    public func write(to writer: inout WireWriter) {
        writer.string(1, name)
        writer.bool(2, hasFailed)
    }
}

extension MotionState: MergingMessage {
    static let unset = MotionState(sensors: [], isCalibrated: false)

    public init(from reader: inout WireReader) throws(WireError) {
        try self.init(merging: &reader)
    }

    mutating func read(_ field: WireField, from reader: inout WireReader) throws(WireError) {
        switch field.number {
        case 1: try reader.messages(field, into: &sensors)
        case 2: try reader.bool(field, into: &isCalibrated)
        case 3: try reader.message(field, into: &calibration)
        case 4: try reader.uint32(field, into: &recentredBy)
        default: try reader.skip(field)
        }
    }

    public func write(to writer: inout WireWriter) {
        writer.messages(1, sensors)
        writer.bool(2, isCalibrated)
        if let calibration { writer.message(3, calibration) }
        writer.uint32(4, recentredBy)
    }
}

extension MotionCommand: WireMessage {
    /// - Throws: ``WireError/missingPayload`` for a command that this build does not know.
    public init(from reader: inout WireReader) throws(WireError) {
        var command: MotionCommand?
        while let field = try reader.nextField() {
            switch field.number {
            case 1: command = try reader.member(field, merging: EmptyMessage?.none).map { _ in .calibrate } ?? command
            case 2: command = try reader.member(field, merging: EmptyMessage?.none).map { _ in .cancel } ?? command
            case 3: command = try reader.member(field, merging: EmptyMessage?.none).map { _ in .recentre } ?? command
            default: try reader.skip(field)
            }
        }
        guard let command else { throw .missingPayload }
        self = command
    }

    public func write(to writer: inout WireWriter) {
        switch self {
        case .calibrate: writer.message(1, EmptyMessage())
        case .cancel: writer.message(2, EmptyMessage())
        case .recentre: writer.message(3, EmptyMessage())
        }
    }
}

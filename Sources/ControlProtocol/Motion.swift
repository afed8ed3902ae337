public enum CalibrationPhase: Hashable, Sendable {
    /// None was begun since the ears started.
    case none
    case running
    /// The calibration is in force and being stored.
    case saving
    case saved
    case saveFailed
    case failed
    case unknown(UInt32)
}

public enum CalibrationFailure: Hashable, Sendable {
    case none
    /// The ears were not held still for long enough within the window.
    case moved
    /// The window ended without a movement and without readings enough.
    case timedOut
    case sensorFailed
    case cancelled
    case unknown(UInt32)
}

/// The last calibration that was begun. Times in milliseconds.
public struct Calibration: Hashable, Sendable {
    /// Of the change that began it.
    public var changeID: UInt32
    public var phase: CalibrationPhase
    public var failure: CalibrationFailure
    /// Stillness so far, without a break.
    public var still: UInt32
    public var stillNeeded: UInt32
    public var elapsed: UInt32
    public var window: UInt32

    public init(
        changeID: UInt32, phase: CalibrationPhase, failure: CalibrationFailure = .none, still: UInt32,
        stillNeeded: UInt32, elapsed: UInt32, window: UInt32
    ) {
        self.changeID = changeID
        self.phase = phase
        self.failure = failure
        self.still = still
        self.stillNeeded = stillNeeded
        self.elapsed = elapsed
        self.window = window
    }
}

public struct MotionSensor: Hashable, Sendable {
    public var name: String
    public var hasFailed: Bool

    public init(name: String, hasFailed: Bool) {
        self.name = name
        self.hasFailed = hasFailed
    }
}

/// Property `motion.state`.
public struct MotionState: Hashable, Sendable {
    public var sensors: [MotionSensor]
    /// A calibration is in force.
    public var isCalibrated: Bool
    public var calibration: Calibration?
    /// The id of the last change that recentred; 0 for none since the ears started.
    public var recentredBy: UInt32

    public init(
        sensors: [MotionSensor], isCalibrated: Bool, calibration: Calibration? = nil, recentredBy: UInt32 = 0
    ) {
        self.sensors = sensors
        self.isCalibrated = isCalibrated
        self.calibration = calibration
        self.recentredBy = recentredBy
    }
}

/// Property `motion.command`, within a change.
public enum MotionCommand: Hashable, Sendable, CaseIterable {
    case calibrate
    case cancel
    /// The way the ears are held now is level.
    case recentre
}

import ControlProtocol

/// The motion sensors, and the one calibration that is under way: two seconds of stillness within five.
struct MotionUnit: Sendable {
    private let configuration: EarsConfiguration
    private(set) var isCalibrated: Bool
    private(set) var recentredBy: UInt32 = 0
    private var course: Course?

    static let stillNeeded: Duration = .seconds(2)
    static let window: Duration = .seconds(5)
    /// Until the person who was asked to hold still does.
    static let untilStill: Duration = .milliseconds(500)
    /// How long somebody holds still who does not hold still.
    static let restlessness: Duration = .milliseconds(1500)
    static let untilSensorFails: Duration = .seconds(1)
    static let memoryKey = "motion.calibration"

    private struct Course {
        let changeID: UInt32
        let begun: Duration
        var phase: CalibrationPhase = .running
        var failure: CalibrationFailure = .none
        /// What it came to when it ended.
        var still: Duration = .zero
        var elapsed: Duration = .zero
        var savedAt: Duration?
    }

    init(_ configuration: EarsConfiguration, _ memory: RetainedMemory) {
        self.configuration = configuration
        isCalibrated = memory.settings[Self.memoryKey] != nil
    }

    private var hasFailedSensor: Bool { configuration.faults.contains(.sensorFails) }
    private var isRunning: Bool { course?.phase == .running }

    func refusal(of command: MotionCommand) -> SettingRefusalReason? {
        guard configuration.capabilities.contains(.motion) else { return .capabilityMissing }
        switch command {
        case .calibrate: return isRunning || course?.phase == .saving ? .busy : nil
        case .cancel: return nil
        case .recentre: return hasFailedSensor ? .sensorFailed : isRunning ? .busy : nil
        }
    }

    mutating func apply(_ command: MotionCommand, change id: UInt32, at now: Duration) {
        switch command {
        case .calibrate: course = Course(changeID: id, begun: now)
        case .cancel: if isRunning { end(.cancelled, at: now) }
        case .recentre: recentredBy = id
        }
    }

    // MARK: Time

    var nextDeadline: Duration? {
        guard let course else { return nil }
        switch course.phase {
        case .running: return course.begun + length
        case .saving: return course.savedAt
        default: return nil
        }
    }

    mutating func advance(to now: Duration, memory: inout RetainedMemory) {
        guard let course, let due = nextDeadline, due <= now else { return }
        if course.phase == .saving { return save(to: &memory) }
        if hasFailedSensor { return end(.sensorFailed, at: due) }
        if let failure = configuration.calibrationFailure { return end(failure, at: due) }
        end(.none, at: due)
        isCalibrated = true
        self.course?.phase = .saving
        self.course?.savedAt = due + configuration.saveTime
    }

    /// From the beginning to success or failure.
    private var length: Duration {
        if hasFailedSensor { return Self.untilSensorFails }
        return configuration.calibrationFailure == nil ? Self.untilStill + Self.stillNeeded : Self.window
    }

    private mutating func end(_ failure: CalibrationFailure, at now: Duration) {
        guard let begun = course?.begun else { return }
        let stillness = still(after: now - begun)
        course?.still = stillness
        course?.elapsed = now - begun
        course?.failure = failure
        course?.phase = .failed
    }

    private mutating func save(to memory: inout RetainedMemory) {
        guard !configuration.faults.contains(.saveFails) else {
            course?.phase = .saveFailed
            return
        }
        memory.settings[Self.memoryKey] = [1]
        course?.phase = .saved
    }

    // MARK: Reading

    private func still(after elapsed: Duration) -> Duration {
        switch configuration.calibrationFailure {
        case .timedOut: .zero
        case .moved: .milliseconds(elapsed.inMilliseconds % Self.restlessness.inMilliseconds)
        default: max(.zero, min(elapsed - Self.untilStill, Self.stillNeeded))
        }
    }

    func state(at now: Duration) -> MotionState {
        guard configuration.capabilities.contains(.motion) else { return MotionState(sensors: [], isCalibrated: false) }
        let sensors = [("left", hasFailedSensor), ("right", false)].map { MotionSensor(name: $0.0, hasFailed: $0.1) }
        return MotionState(
            sensors: sensors, isCalibrated: isCalibrated, calibration: course.map { calibration($0, at: now) },
            recentredBy: recentredBy)
    }

    private func calibration(_ course: Course, at now: Duration) -> Calibration {
        let elapsed = course.phase == .running ? now - course.begun : course.elapsed
        let still = course.phase == .running ? still(after: elapsed) : course.still
        return Calibration(
            changeID: course.changeID, phase: course.phase, failure: course.failure, still: still.wireMilliseconds,
            stillNeeded: Self.stillNeeded.wireMilliseconds, elapsed: elapsed.wireMilliseconds,
            window: Self.window.wireMilliseconds)
    }
}

extension Duration {
    fileprivate var inMilliseconds: Int64 { components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000 }
    fileprivate var wireMilliseconds: UInt32 { UInt32(clamping: inMilliseconds) }
}

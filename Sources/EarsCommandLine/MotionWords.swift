public import CommandLineTools
public import ControlProtocol
public import Ears

extension Calibration {
    /// `hold still: 1.2 of 2 s (3 of 5 s gone)`
    public var progressLine: String {
        let still = Duration.milliseconds(still).inWords.replacing(" s", with: "")
        let gone = Duration.milliseconds(elapsed).inWords.replacing(" s", with: "")
        return "hold still: \(still) of \(Duration.milliseconds(stillNeeded).inWords)"
            + " (\(gone) of \(Duration.milliseconds(window).inWords) gone)"
    }

    public var members: [(String, JSON)] {
        [
            ("phase", .string(phase.code)), ("failure", failure == .none ? .null : .string(failure.code)),
            ("still_ms", .integer(Int64(still))), ("still_needed_ms", .integer(Int64(stillNeeded))),
            ("elapsed_ms", .integer(Int64(elapsed))), ("window_ms", .integer(Int64(window))),
        ]
    }
}

extension CalibrationPhase {
    var code: String {
        switch self {
        case .none: "none"
        case .running: "running"
        case .saving: "saving"
        case .saved: "saved"
        case .saveFailed: "save_failed"
        case .failed: "failed"
        case .unknown(let number): "unknown_\(number)"
        }
    }
}

extension CalibrationFailure {
    var code: String {
        switch self {
        case .none: "none"
        case .moved: "moved"
        case .timedOut: "timed_out"
        case .sensorFailed: "sensor_failed"
        case .cancelled: "cancelled"
        case .unknown(let number): "unknown_\(number)"
        }
    }

    var inWords: String {
        switch self {
        case .none: "it failed without a reason"
        case .moved: "the ears were not still for long enough"
        case .timedOut: "the window ended before the sensors had readings enough"
        case .sensorFailed: "a motion sensor does not answer"
        case .cancelled: "it was cancelled"
        case .unknown(let number): "it failed for reason \(number), which this version does not know"
        }
    }
}

extension MotionState {
    /// - Parameter switches: the settings that need the sensors.
    public func lines(_ switches: [Setting]) -> [String] {
        let width = max(12, switches.map(\.name.count).max() ?? 0) + 2
        let sensors = sensors.map { "\($0.name.printable)\($0.hasFailed ? " (does not answer)" : "")" }
        var lines = ["sensors".padded(to: width) + (sensors.isEmpty ? "none" : sensors.joined(separator: ", "))]
        lines.append("calibrated".padded(to: width) + (isCalibrated ? "yes" : "no: espurr-ctl calibrate"))
        if let calibration, calibration.phase == .failed {
            lines.append("last try".padded(to: width) + calibration.failure.inWords)
        } else if let calibration, calibration.phase == .running {
            lines.append("under way".padded(to: width) + calibration.progressLine)
        } else if calibration?.phase == .saveFailed {
            lines.append("last try".padded(to: width) + "in force, not saved: lost with the next restart")
        }
        return lines + switches.map { $0.name.printable.padded(to: width) + $0.valueInWords }
    }

    public func members(_ switches: [Setting]) -> [(String, JSON)] {
        let sensors = sensors.map {
            JSON.object([("name", .string($0.name)), ("failed", .boolean($0.hasFailed))])
        }
        return [
            ("sensors", .array(sensors)), ("calibrated", .boolean(isCalibrated)),
            ("last_calibration", calibration.map { JSON.object($0.members) } ?? .null),
            ("settings", .array(switches.map(\.json))),
        ]
    }
}

/// How a calibration ended, for people and scripts.
public struct CalibrationReport: Sendable {
    public let status: ExitStatus
    public let code: String
    public let cause: String
    public let remedy: String?

    public init(_ outcome: CalibrationOutcome) {
        switch outcome {
        case .saved: self.init(.done, "saved", "calibrated, and saved", nil)
        case .appliedNotSaved:
            self.init(
                .appliedNotSaved, "applied_not_saved",
                "calibrated, but the ears could not save it: it is lost with the next restart", "calibrate again")
        case .failed(.cancelled):
            let cause = "cancelled on the ears; the calibration before it stays"
            // By somebody else it is their refusal of this one; by a signal it is that signal's.
            let signal = CommandFailure.ofSignal
            let word = signal.map { $0.status == .cancelled ? "" : "\($0.cause): " } ?? ""
            self.init(signal?.status ?? .earsRefused, "cancelled", word + cause, nil)
        case .failed(let failure):
            let holds = failure == .moved || failure == .timedOut
            self.init(
                .earsRefused, failure.code, "not calibrated: \(failure.inWords)",
                holds ? "put the ears down, or hold them still for two seconds, and try again" : nil)
        case .notBegun(let outcome):
            let report = SettingReport(outcome)
            self.init(report.status, report.code, report.cause, report.remedy)
        case .superseded:
            self.init(
                .outcomeUnknown, "unknown", "another calibration was begun meanwhile", "espurr-ctl motion shows it")
        case .unknown(_, let error):
            self.init(
                .outcomeUnknown, "unknown", "how it ended is not known: \(CommandFailure(error).cause)",
                "espurr-ctl motion shows it")
        case .overdue:
            self.init(.outcomeUnknown, "unknown", "the ears did not end it in time", "espurr-ctl motion shows it")
        }
    }

    private init(_ status: ExitStatus, _ code: String, _ cause: String, _ remedy: String?) {
        self.status = status
        self.code = code
        self.cause = cause
        self.remedy = remedy
    }
}

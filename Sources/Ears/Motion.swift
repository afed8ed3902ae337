internal import Bluetooth
public import ControlProtocol

/// How a calibration ended, as it was read.
public enum CalibrationOutcome: Equatable, Sendable {
    case saved
    /// In force, but lost with the next boot.
    case appliedNotSaved
    /// Not in force; what was in force before stays.
    case failed(CalibrationFailure)
    /// It never began: how the change ended that was to begin it.
    case notBegun(SettingOutcome)
    /// Another one was begun after it.
    case superseded
    /// Not known; ``EarsSession/followCalibration(_:report:)`` with the change's id settles it.
    case unknown(changeID: UInt32, EarsError)
    /// Still under way when it had to be over.
    case overdue
}

public enum CalibrationDeadlines {
    public static let pollInterval: Duration = .milliseconds(250)
    /// From the window's end until it is saved.
    public static let saving: Duration = .seconds(10)
    /// Where the ears state no window.
    public static let window: Duration = .seconds(5)
}

extension EarsSession {
    /// Property `motion.state`, read afresh.
    ///
    /// - Throws: ``SettingError`` where these ears lack motion sensors, or in this mode.
    public func motion() async throws(EarsError) -> MotionState {
        try await requireMotion()
        let property = try await property(PropertyName.motionState)
        do { return try MotionState(decoding: property.value) } catch {
            throw .wire(.malformedProperty(property.name))
        }
    }

    private func requireMotion() async throws(EarsError) {
        func fault(_ reason: SettingError.Reason) -> EarsError {
            .setting(SettingError(setting: "motion", reason: reason))
        }
        guard mode == .normal else { throw fault(.wrongMode(mode)) }
        guard try await capabilities().names.contains(Self.motionCapability) else {
            throw fault(.capabilityMissing(Self.motionCapability))
        }
        guard try await knownLayout().indices[PropertyName.motionState] != nil else { throw fault(.noSuchSetting) }
    }

    public static let motionCapability = "motion"

    /// Takes the way the ears are held now as level, and reads back that they did.
    public func recentre() async throws(EarsError) -> SettingOutcome {
        try await requireMotion()
        let change = try await change(.motion(.recentre))
        let outcome = try await send(change)
        guard case .appliedTemporary = outcome else { return outcome }
        return await readBack(outcome, of: change.pending) { session throws(EarsError) in
            try await session.motion().recentredBy == change.pending.id
        }
    }

    /// Calibrates the motion sensors, and follows it to its end. Where the task is cancelled it is cancelled on the ears
    /// too, and what they read then is the outcome.
    ///
    /// - Throws: only where nothing was sent.
    public func calibrate(
        report: @Sendable (Calibration) -> Void
    ) async throws(EarsError) -> CalibrationOutcome {
        try await requireMotion()
        let change = try await change(.motion(.calibrate))
        let outcome = try await send(change)
        if case .appliedTemporary = outcome { return await followCalibration(change.pending.id, report: report) }
        guard let interruption = outcome.interruption else { return .notBegun(outcome) }
        guard interruption == .bluetooth(.cancelled) else { return .unknown(changeID: change.pending.id, interruption) }
        return await cancelCalibration(change.pending.id)
    }

    /// How a calibration that was begun goes on and ends, in a later session too.
    public func followCalibration(
        _ changeID: UInt32, report: @Sendable (Calibration) -> Void
    ) async -> CalibrationOutcome {
        let stopwatch = Stopwatch(clock)
        while true {
            let calibration: Calibration?
            do throws(EarsError) { calibration = try await motion().calibration } catch {
                if error == .bluetooth(.cancelled) { return await cancelCalibration(changeID) }
                return .unknown(changeID: changeID, error)
            }
            guard let calibration, calibration.changeID == changeID else { return .superseded }
            if let outcome = CalibrationOutcome(calibration) { return outcome }
            report(calibration)
            let window = calibration.window > 0 ? .milliseconds(calibration.window) : CalibrationDeadlines.window
            if stopwatch.elapsed() >= window + CalibrationDeadlines.saving { return .overdue }
            do { try await clock.sleep(for: CalibrationDeadlines.pollInterval) } catch {
                return await cancelCalibration(changeID)
            }
        }
    }

    private func cancelCalibration(_ changeID: UInt32) async -> CalibrationOutcome {
        await LastLook.run {
            do throws(EarsError) {
                _ = try await self.perform(.motion(.cancel))
                guard let calibration = try await self.motion().calibration, calibration.changeID == changeID else {
                    return CalibrationOutcome.superseded
                }
                return CalibrationOutcome(calibration) ?? .overdue
            } catch {
                return .unknown(changeID: changeID, error)
            }
        }
    }
}

extension CalibrationOutcome {
    /// Nil while it is under way.
    init?(_ calibration: Calibration) {
        switch calibration.phase {
        case .saved: self = .saved
        case .saveFailed: self = .appliedNotSaved
        case .failed: self = .failed(calibration.failure)
        case .none, .running, .saving, .unknown: return nil
        }
    }
}

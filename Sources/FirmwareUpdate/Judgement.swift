internal import ControlProtocol

extension Verdict {
    /// The verdict that the readings earn. Pure: the same readings give the same verdict, whoever made them.
    public init(_ readings: Readings) {
        guard let latest = readings.latest else {
            self = Self.withoutReading(readings)
            return
        }
        if latest.runs(readings.target) {
            self = Self.newRuns(readings, latest)
        } else if latest.runsTheSame(as: readings.before) {
            self = Self.oldRuns(readings, latest)
        } else {
            self = .unknown(.otherFirmwareRuns)
        }
    }

    /// Only what the ears themselves said, or what was never sent, is known without a fresh read.
    private static func withoutReading(_ readings: Readings) -> Verdict {
        switch readings.ending {
        case .refused(let refusal) where readings.milestone < .selected: .refused(refusal)
        case .cancelled where readings.milestone == .checked: .cancelled
        case .image(let error) where readings.milestone == .checked: .imageUnusable(error)
        case .cancelled where readings.milestone == .restarting: .unknown(.notAwaited)
        default: .unknown(.noReading)
        }
    }

    private static func newRuns(_ readings: Readings, _ latest: FirmwareReading) -> Verdict {
        switch latest.running?.otaState {
        case .undefined: return .notConfirmed(.noRollback)
        case .valid where readings.isConfirmed(by: latest): return .confirmed
        case .valid: return readings.isOver ? .notConfirmed(.restless) : .unknown(.onTrial)
        case .new, .pendingVerify: return readings.isOver ? .notConfirmed(.stillOnTrial) : .unknown(.onTrial)
        case .invalid, .aborted, .unknown, nil:
            return .notConfirmed(.state(OTAStateName(latest.running?.otaState ?? .undefined)))
        }
    }

    private static func oldRuns(_ readings: Readings, _ latest: FirmwareReading) -> Verdict {
        let wasSelected = readings.milestone >= .selected
        let hasBooted = latest.bootCount != (readings.selection ?? readings.before).bootCount
        if latest.selects(readings.target), !readings.isRefusedBeside(latest) {
            if hasBooted { return .rolledBack }
            return readings.mayStillRestart ? .unknown(.restartPending) : .selectedNotRestarted
        }
        if wasSelected { return hasBooted ? .rolledBack : .unknown(.selectionGone) }
        if hasBooted, latest.hasGivenUp(readings.target),
            readings.milestone == .sent || readings.isNew({ $0.hasGivenUp($1) })
        {
            return .rolledBack
        }
        if latest.isDeciding(on: readings.target) { return .unknown(.stillVerifying) }
        return nothingSelected(readings.ending)
    }

    private static func nothingSelected(_ ending: Ending) -> Verdict {
        switch ending {
        case .cancelled: .cancelled
        case .refused(let refusal): .refused(refusal)
        case .image(let error): .imageUnusable(error)
        case .lost(let loss): .linkLostOldFirmwareRuns(loss)
        case .deadline(let phase): .linkLostOldFirmwareRuns(.deadline(phase))
        case .looked: .linkLostOldFirmwareRuns(.attemptDied)
        case .watched, .contradiction: .unknown(.contradiction)
        }
    }
}

extension Readings {
    fileprivate func isConfirmed(by latest: FirmwareReading) -> Bool {
        guard let firstValid, firstValid.age >= Self.confirmationGap else { return false }
        let first = firstValid.reading
        return first.runs(target) && first.running?.otaState == .valid && first.bootCount == latest.bootCount
    }

    /// Whether something holds of the target in the latest reading that did not hold before: the record may have
    /// stayed behind what was sent.
    fileprivate func isNew(_ holds: (FirmwareReading, UpdateTarget) -> Bool) -> Bool {
        latest.map { holds($0, target) && !holds(before, target) } ?? false
    }

    /// Whether the ears refused this attempt and what they select is an earlier one's: the refusal is how this one ended.
    fileprivate func isRefusedBeside(_ latest: FirmwareReading) -> Bool {
        guard case .refused = ending, milestone < .sent else { return false }
        return before.selects(target)
    }

    /// Whether ears that read as before may be about to restart.
    fileprivate var mayStillRestart: Bool {
        if case .refused = ending { return false }
        return milestone >= .restarting && (restartAge ?? .zero) < Self.restartSettling
    }

    /// Whether the watch came to its own end.
    fileprivate var isOver: Bool {
        switch ending {
        case .watched, .deadline: true
        default: false
        }
    }
}

public import ControlProtocol
public import Firmware

/// How an update ended. Each case is earned by a reading (``Readings/latest``), never by a write that succeeded.
public enum Verdict: Hashable, Sendable {
    /// The new image was VALID in its slot on two reads, far enough apart, with one boot count.
    case confirmed
    case cancelled
    /// The ears refused, and nothing was selected.
    case refused(EarsRefusal)
    /// It ended before anything was selected, and a fresh read says that the old firmware runs.
    case linkLostOldFirmwareRuns(Loss)
    /// The link stood, and the image's file changed or could not be read to its end: the upload was given up, and nothing
    /// was selected.
    case imageUnusable(ImageFileError)
    case selectedNotRestarted
    case rolledBack
    /// The new image runs.
    case notConfirmed(NotConfirmed)
    case unknown(Unknown)

    public enum Loss: Hashable, Sendable {
        case link
        /// The link stood, and the ears' answers were of no use.
        case exchange
        case deadline(InstallationPhase)
        /// The command that made the attempt died, or could not read the ears at its end.
        case attemptDied
        /// The ears restarted or the session died, and what was sent is lost.
        case sessionLost
    }

    public enum NotConfirmed: Hashable, Sendable {
        /// Ears built without rollback: there is no trial to pass.
        case noRollback
        /// Still on trial at the deadline.
        case stillOnTrial
        /// VALID, but the ears restarted again and again while they were watched.
        case restless
        /// It runs though otadata calls it given up.
        case state(OTAStateName)
    }

    public enum Unknown: Hashable, Sendable {
        /// The ears could not be read afterwards.
        case noReading
        /// Cancelled while the ears restart into what they had selected: nobody waited for them.
        case notAwaited
        /// The new image runs, and it was not watched to the end.
        case onTrial
        /// Neither the old firmware nor the new one runs.
        case otherFirmwareRuns
        /// The ears are still checking the file, and may select it by themselves.
        case stillVerifying
        /// It had been selected, is not any more, and the ears were not restarted in between.
        case selectionGone
        /// `restart` may have reached the ears, and they had not had the time to follow it.
        case restartPending
        /// The ears called it selected, and their status says otherwise.
        case contradiction
    }
}

/// The typed refusal of the ears with their own error beside it.
public struct EarsRefusal: Hashable, Sendable {
    public var refusal: UpdateRefusal
    /// `esp_err_t`; 0: none.
    public var deviceError: UInt32

    public init(refusal: UpdateRefusal, deviceError: UInt32 = 0) {
        self.refusal = refusal
        self.deviceError = deviceError
    }
}

/// The verdict by its name, as machines read it.
public enum VerdictName: String, Codable, CaseIterable, Sendable {
    case confirmed
    case cancelled
    case refused
    case linkLostOldFirmwareRuns = "link_lost_old_firmware_runs"
    case imageUnusable = "image_unusable"
    case selectedNotRestarted = "selected_not_restarted"
    case rolledBack = "rolled_back"
    case notConfirmed = "not_confirmed"
    case unknown
}

extension Verdict {
    public var name: VerdictName {
        switch self {
        case .confirmed: .confirmed
        case .cancelled: .cancelled
        case .refused: .refused
        case .linkLostOldFirmwareRuns: .linkLostOldFirmwareRuns
        case .imageUnusable: .imageUnusable
        case .selectedNotRestarted: .selectedNotRestarted
        case .rolledBack: .rolledBack
        case .notConfirmed: .notConfirmed
        case .unknown: .unknown
        }
    }
}

import FirmwareUpdate

/// What a retry does with ears whose last attempt a fresh read has settled, or could not settle: pure.
enum AfterSettling: Hashable, Sendable {
    /// Nothing is sent: that is how it ended.
    case conclude
    case installAgain

    /// - Parameter isWanted: whether that attempt was with what the retry is to install.
    init(_ verdict: Verdict, isWanted: Bool) {
        switch verdict {
        case .confirmed: self = isWanted ? .conclude : .installAgain
        // What sending again would do to them is not known, or a trial is under way, which it would end.
        case .unknown, .notConfirmed(.stillOnTrial), .notConfirmed(.restless): self = .conclude
        case .notConfirmed(.noRollback), .notConfirmed(.state), .cancelled, .refused, .linkLostOldFirmwareRuns,
            .selectedNotRestarted, .rolledBack:
            self = .installAgain
        }
    }
}

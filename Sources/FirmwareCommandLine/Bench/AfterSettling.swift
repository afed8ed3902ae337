import FirmwareUpdate

/// What a retry does with ears whose last attempt a fresh read has settled, or could not settle: pure.
enum AfterSettling: Hashable, Sendable {
    /// Nothing is sent: that is how it ended.
    case conclude
    /// Goes on to the installation, which finds out whether what is wanted runs by now: the attempt may have been with
    /// something else.
    case goOn

    init(_ verdict: Verdict) {
        switch verdict {
        // What sending again would do to them is not known, or a trial is under way, which it would end.
        case .unknown, .notConfirmed(.stillOnTrial), .notConfirmed(.restless): self = .conclude
        case .confirmed, .notConfirmed(.noRollback), .notConfirmed(.state), .cancelled, .refused,
            .linkLostOldFirmwareRuns, .imageUnusable, .selectedNotRestarted, .rolledBack:
            self = .goOn
        }
    }
}

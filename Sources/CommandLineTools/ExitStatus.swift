/// What a command ends with. The numbers are the contract with scripts (docs/man, "EXIT STATUS").
public enum ExitStatus: Int32, CaseIterable, Sendable {
    /// Done, and read back.
    case done = 0
    case internalError = 1
    /// Usage, or a value out of range: nothing was sent.
    case usage = 2
    /// `--exit-code`: there is an update.
    case updateAvailable = 3
    /// This machine: bus, daemon, adapter, adapter off.
    case machine = 10
    /// Not heard, not reachable, or gone out of reach while they were read.
    case earsNotFound = 11
    case pairing = 12
    case notPermitted = 13
    case protocolNotSupported = 14
    case catalogueUnreachable = 15
    case outputNotWritable = 16
    /// Catalogue or target not to be trusted, or no trusted root.
    case untrusted = 20
    case image = 21
    /// Older, same, candidate; or what was asked about was not wanted.
    case policyRefused = 22
    /// Family, chip, slot, battery, pending trial boot.
    case preflightRefused = 23
    case appliedNotSaved = 24
    case noSuchSetting = 25
    /// Read since: nothing was changed.
    case linkLost = 30
    case earsRefused = 31
    case rolledBack = 40
    case bootedNotConfirmed = 41
    case outcomeUnknown = 42
    case selectedNotRestarted = 43
    case someFailed = 50
    case hungUp = 129
    case cancelled = 130
    /// Whoever read standard output closed it early: as if SIGPIPE had ended the command, which it did not.
    case readerGone = 141
    case terminated = 143

    public var meaning: String {
        switch self {
        case .done: "done, and read back"
        case .internalError: "internal error"
        case .usage: "usage, or a value out of range"
        case .updateAvailable: "with --exit-code: there is an update"
        case .machine: "this machine: bus, daemon, adapter, adapter off"
        case .earsNotFound: "ears not found, or gone out of reach while they were read"
        case .pairing: "pairing or bond"
        case .notPermitted: "not permitted"
        case .protocolNotSupported: "protocol not supported"
        case .catalogueUnreachable: "the catalogue cannot be reached"
        case .outputNotWritable: "output cannot be written"
        case .untrusted: "catalogue or target not to be trusted, or no trusted root"
        case .image: "image"
        case .policyRefused: "policy refused: older, same, candidate; or the answer was no"
        case .preflightRefused: "preflight refused: family, chip, slot, battery, pending trial boot"
        case .appliedNotSaved: "applied, not saved"
        case .noSuchSetting: "no such setting or capability here, or not in this mode"
        case .linkLost: "link lost; read since: nothing was changed, the old firmware runs"
        case .earsRefused: "the ears refused"
        case .rolledBack: "rolled back"
        case .bootedNotConfirmed: "booted, not confirmed"
        case .outcomeUnknown: "outcome unknown"
        case .selectedNotRestarted: "selected, not restarted"
        case .someFailed: "some of several failed"
        case .hungUp: "hung up"
        case .cancelled: "cancelled"
        case .readerGone: "done, but whoever read standard output closed it early"
        case .terminated: "terminated"
        }
    }
}

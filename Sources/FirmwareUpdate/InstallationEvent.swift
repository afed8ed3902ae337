public import Ears

/// The two forms of an upload (`Protocol/wire.md`, section 8).
public enum UploadForm: String, Sendable {
    /// A reply to each chunk.
    case exchange
    /// Chunks without a response, credit by notification.
    case stream
}

/// What happens during an installation, as it happens.
public enum InstallationEvent: Equatable, Sendable {
    /// A session that an earlier command left open was aborted; the upload begins at byte 0.
    case oldSessionAborted(session: UInt32)
    case phase(InstallationPhase)
    /// How the bytes are sent.
    case uploadForm(UploadForm)
    /// Bytes that the ears acknowledged, of how many.
    case progress(bytes: Int, total: Int)
    /// Every byte was acknowledged.
    case sent
    /// The ears verified hash and image.
    case accepted
    case selected(FirmwareReading)
    /// The new image runs, on trial or already VALID.
    case booted(FirmwareReading)
    /// The ears restarted while the new image was watched: the watch begins anew.
    case restartedAgain(bootCount: UInt32)
    /// An unannounced loss of the link; one reconnect follows.
    case linkLost(EarsError)
    /// A cancellation was seen; the exchange in flight has ended, and the ears are being read.
    case cancelling(Milestone)
    /// The attempt's record could not be brought up to date; the installation goes on.
    case recordFailed(AttemptLogError)
}

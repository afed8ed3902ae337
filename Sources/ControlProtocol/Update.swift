/// A request to the update endpoint.
public enum UpdateRequest: Hashable, Sendable {
    case status
    /// - Parameters:
    ///   - size: bytes of the whole file.
    ///   - sha256: of the whole file, 32 bytes.
    case begin(size: UInt32, sha256: [UInt8], family: String, version: String)
    case chunk(session: UInt32, offset: UInt32, data: [UInt8])
    case finish(session: UInt32)
    case abort(session: UInt32)
    case restart
}

public enum UpdateState: Hashable, Sendable {
    case idle
    case erasing
    case receiving
    case verifying
    /// Hash and image are good; the slot is not selected yet.
    case accepted
    /// The next boot takes the new slot.
    case selected
    /// Refused after `begin`; nothing was selected.
    case failed
    case unknown(UInt32)
}

public enum UpdateRefusal: Hashable, Sendable {
    case malformed
    /// Another session is open; its id is in the reply.
    case sessionOpen
    case wrongSession
    case wrongState
    case wrongOffset
    case tooLarge
    case wrongFamily
    /// The running firmware is still on trial.
    case trialPending
    case batteryLow
    case hashMismatch
    case imageInvalid
    case flashError
    /// Erasing or verifying: ask for the status.
    case busy
    /// `finish` before the last byte.
    case incomplete
    case unknown(UInt32)
}

/// State of an otadata entry (`esp_ota_img_states_t`).
public enum OTAState: Hashable, Sendable {
    case new
    case pendingVerify
    case valid
    case invalid
    case aborted
    case undefined
    case unknown(UInt32)
}

/// One application slot.
public struct Slot: Hashable, Sendable {
    /// N of `ota_N`.
    public var index: UInt32
    /// Bytes.
    public var capacity: UInt32
    /// The image's appended SHA-256; empty where the ears could read no image.
    public var imageDigest: [UInt8]
    public var version: String
    public var project: String
    public var otaState: OTAState

    public init(
        index: UInt32, capacity: UInt32, imageDigest: [UInt8], version: String, project: String, otaState: OTAState
    ) {
        self.index = index
        self.capacity = capacity
        self.imageDigest = imageDigest
        self.version = version
        self.project = project
        self.otaState = otaState
    }
}

public enum ResetReason: Hashable, Sendable {
    case notReported
    case powerOn
    case software
    case panic
    case watchdog
    case brownout
    case unknown(UInt32)
}

public struct UpdateStatus: Hashable, Sendable {
    public var runningSlot: UInt32
    /// The slot that the next boot takes.
    public var selectedSlot: UInt32
    public var slots: [Slot]
    /// Grows by one with each boot, kept over power loss.
    public var bootCount: UInt32
    public var resetReason: ResetReason
    /// Nil where the ears report none.
    public var batteryPercent: UInt32?
    /// 0: not stated.
    public var batteryPercentNeeded: UInt32
    /// Bytes of the open session's file; 0 where there is none.
    public var sessionSize: UInt32
    public var sessionSHA256: [UInt8]
    /// Built with rollback: a first boot is a trial.
    public var hasRollback: Bool

    public init(
        runningSlot: UInt32, selectedSlot: UInt32, slots: [Slot], bootCount: UInt32, resetReason: ResetReason,
        batteryPercent: UInt32?, batteryPercentNeeded: UInt32, sessionSize: UInt32, sessionSHA256: [UInt8],
        hasRollback: Bool
    ) {
        self.runningSlot = runningSlot
        self.selectedSlot = selectedSlot
        self.slots = slots
        self.bootCount = bootCount
        self.resetReason = resetReason
        self.batteryPercent = batteryPercent
        self.batteryPercentNeeded = batteryPercentNeeded
        self.sessionSize = sessionSize
        self.sessionSHA256 = sessionSHA256
        self.hasRollback = hasRollback
    }
}

/// A reply of the update endpoint: each carries session, state and the next wanted offset.
public struct UpdateReply: Hashable, Sendable {
    /// 0: none.
    public var session: UInt32
    public var state: UpdateState
    /// Bytes from the start of the file.
    public var nextOffset: UInt32
    public var refusal: UpdateRefusal?
    /// `esp_err_t`; 0: none.
    public var deviceError: UInt32
    /// Milliseconds without a request after which the session dies.
    public var silenceLimit: UInt32
    /// In reply to `status` only.
    public var status: UpdateStatus?

    public init(
        session: UInt32, state: UpdateState, nextOffset: UInt32, refusal: UpdateRefusal? = nil, deviceError: UInt32 = 0,
        silenceLimit: UInt32, status: UpdateStatus? = nil
    ) {
        self.session = session
        self.state = state
        self.nextOffset = nextOffset
        self.refusal = refusal
        self.deviceError = deviceError
        self.silenceLimit = silenceLimit
        self.status = status
    }
}

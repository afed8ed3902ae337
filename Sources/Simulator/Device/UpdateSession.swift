/// One upload: from `begin` until it ends in one of the ways of `UpdateState`.
struct UpdateSession: Hashable, Sendable {
    enum Stage: Hashable, Sendable {
        case erasing(Erase)
        case receiving
        /// Hash and image are checked at that time; nil: never.
        case verifying(until: Duration?)
        /// otadata is written at that time.
        case accepted(until: Duration)
    }

    /// Sectors go one by one, so that power lost meanwhile leaves the slot half erased.
    struct Erase: Hashable, Sendable {
        let began: Duration
        let sectors: Int
        /// Of each sector; nil: the first never ends.
        let sectorTime: Duration?
        var done = 0

        var ends: Duration? { sectorTime.map { began + $0 * sectors } }

        /// Sectors that are erased at `now`.
        func due(at now: Duration) -> Int {
            guard let sectorTime else { return 0 }
            // The last one is due at the very end, whatever the division makes of it.
            return now - began >= sectorTime * sectors ? sectors : Int((now - began) / sectorTime)
        }
    }

    /// Not 0.
    let id: UInt32
    /// Bytes.
    let size: Int
    let sha256: [UInt8]
    var stage: Stage
    /// Bytes that arrived, all of them from the start of the file.
    var received = 0
    var lastRequest: Duration

    /// When something happens by itself, silence apart.
    var nextDeadline: Duration? {
        switch stage {
        case .erasing(let erase): erase.ends
        case .receiving: nil
        case .verifying(let until): until
        case .accepted(let until): until
        }
    }
}

/// Errors of ESP-IDF as numbers (`esp_err_t`).
enum DeviceError {
    /// `ESP_ERR_INVALID_STATE`.
    static let invalidState: UInt32 = 0x103
    static let validationFailed: UInt32 = 0x1503
    static let runningImagePending: UInt32 = 0x1506
    static let alreadyInProgress: UInt32 = 0x1507
    /// `ESP_ERR_FLASH_OP_FAIL`.
    static let flashOperationFailed: UInt32 = 0x6001
}

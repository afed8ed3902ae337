public import FirmwareUpdate

/// What recovery mode means for the firmware that the slots hold.
extension FirmwareReading {
    /// Of ears in recovery mode: nothing runs, and what a restart would boot.
    public var recoveryInWords: String {
        guard let slot = bootableSlot else { return "no firmware runs, and there is no old one to fall back on" }
        return "no firmware runs now; \(slot.inWords) is there and boots after a restart"
    }

    /// What is there to boot beside a slot that takes, or has taken, other firmware: `with ota_0 (1.4.0) to fall back on`.
    ///
    /// - Parameter index: of the slot that does not count; nil: each does.
    func fallbackInWords(beside index: UInt32?) -> String {
        let others = slots.filter { $0.isBootable && $0.index != index }
        let old = others.first { $0.index == selectedSlot } ?? others.first
        return "with \(old.map(\.inWords) ?? "no old firmware") to fall back on"
    }
}

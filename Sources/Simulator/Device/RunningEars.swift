import ControlProtocol

/// What the firmware that runs knows of itself and of where it runs from.
struct RunningEars: Sendable {
    /// Its mode is the one that they are in.
    let configuration: EarsConfiguration
    /// Of the descriptor of the image that runs; in recovery of normal firmware.
    let family: String
    /// In recovery of the image in the slot of normal firmware; empty where there is none.
    let version: String
    /// In recovery the slot of normal firmware: nothing of it runs, and it is not written to all the same.
    let runningSlot: Int
    let slots: [PartitionTable.Partition]
    let otaDataOffset: Int
    let bootCount: UInt32
    let resetReason: ResetReason

    var targetSlot: Int { (runningSlot + 1) % slots.count }
    var target: PartitionTable.Partition { slots[targetSlot] }
    var verifier: ImageVerifier { ImageVerifier(chip: configuration.family.chip) }

    var isInRecovery: Bool { configuration.mode == .recovery }

    /// Whether a boot finds an image in any slot.
    func isBootable(_ flash: Flash) -> Bool { slots.contains { (try? verifier.verify(flash, in: $0)) != nil } }

    func otaData(in flash: Flash) -> OTAData { OTAData(in: flash, at: otaDataOffset) }

    func otaState(ofSlot slot: Int, in flash: Flash) -> OTAState {
        OTAState(otaData: otaData(in: flash).state(ofSlot: slot, of: slots.count))
    }

    /// The slot that otadata means (`esp_ota_get_boot_partition`), but for a trial of another slot that the boot loader
    /// gave up: the next boot marks that one aborted. Where otadata says nothing, the running slot.
    func selectedSlot(in flash: Flash) -> Int {
        let otaData = otaData(in: flash)
        guard let entry = otaData.active.flatMap({ otaData.entries[$0] }) else { return runningSlot }
        return entry.state == OTAData.State.pendingVerify ? runningSlot : entry.slot(of: slots.count)
    }
}

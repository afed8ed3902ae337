import ControlProtocol

/// What the firmware that runs knows of itself and of where it runs from.
struct RunningEars: Sendable {
    let configuration: EarsConfiguration
    /// Of the descriptor of the image that runs.
    let family: String
    let version: String
    let runningSlot: Int
    let slots: [PartitionTable.Partition]
    let otaDataOffset: Int
    let bootCount: UInt32
    let resetReason: ResetReason

    var targetSlot: Int { (runningSlot + 1) % slots.count }
    var target: PartitionTable.Partition { slots[targetSlot] }
    var verifier: ImageVerifier { ImageVerifier(chip: configuration.family.chip) }

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

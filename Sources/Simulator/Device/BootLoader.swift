/// The second-stage boot loader's choice of a slot (`bootloader_utility.c`), with what it writes to otadata.
struct BootLoader: Sendable {
    let chip: Chip
    let hasRollback: Bool

    /// The slot whose image was started; nil: none passes the check, and the chip resets for ever.
    func boot(_ flash: inout Flash) -> Int? {
        guard let table = PartitionTable(in: flash), let offset = table.otaDataOffset else { return nil }
        let slots = table.slots
        guard !slots.isEmpty else { return nil }
        var otaData = OTAData(in: flash, at: offset)
        if hasRollback { abortTrials(&otaData, &flash) }
        let first = otaData.active.flatMap { otaData.entries[$0]?.slot(of: slots.count) } ?? 0
        if hasRollback { beginTrial(&otaData, &flash) }
        guard let started = load(first, of: slots, flash) else { return nil }
        if otaData.isBlank {
            let entry = OTAData.Entry(sequence: UInt32(started + 1), state: OTAData.State.valid)
            otaData.write(entry, at: 0, to: &flash)
        }
        return started
    }

    /// Found on trial again: it was reset before it marked itself valid.
    private func abortTrials(_ otaData: inout OTAData, _ flash: inout Flash) {
        for position in otaData.entries.indices where otaData.entries[position]?.state == OTAData.State.pendingVerify {
            otaData.setState(OTAData.State.aborted, at: position, in: &flash)
        }
    }

    private func beginTrial(_ otaData: inout OTAData, _ flash: inout Flash) {
        guard let active = otaData.active, otaData.entries[active]?.state == OTAData.State.new else { return }
        otaData.setState(OTAData.State.pendingVerify, at: active, in: &flash)
    }

    /// The wanted slot, else those before it, backwards, else those after it.
    private func load(_ wanted: Int, of slots: [PartitionTable.Partition], _ flash: Flash) -> Int? {
        let order = Array((0...wanted).reversed()) + Array(wanted + 1..<max(wanted + 1, slots.count))
        return order.first { (try? ImageVerifier(chip: chip).verify(flash, in: slots[$0])) != nil }
    }
}

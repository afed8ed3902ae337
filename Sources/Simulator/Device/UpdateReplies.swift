import ControlProtocol

/// What a reply of the update endpoint says beside what was asked.
extension UpdateEndpoint {
    struct Refused: Hashable, Sendable {
        let refusal: UpdateRefusal
        let deviceError: UInt32

        init(_ refusal: UpdateRefusal, deviceError: UInt32 = 0) {
            self.refusal = refusal
            self.deviceError = deviceError
        }
    }

    var sessionID: UInt32 {
        switch phase {
        case .idle: 0
        case .open(let session): session.id
        case .failed(let session, _, _, _): session
        case .selected(let session, _): session
        }
    }

    func reply(_ refused: Refused?, with status: UpdateStatus?, _ flash: Flash) -> UpdateReply {
        UpdateReply(
            session: sessionID, state: state(flash), nextOffset: nextOffset, refusal: refused?.refusal,
            deviceError: refused?.deviceError ?? 0,
            silenceLimit: UInt32(ears.configuration.timing.silenceLimit / .milliseconds(1)), status: status)
    }

    /// *Selected* is what otadata says, with or without a session.
    private func state(_ flash: Flash) -> UpdateState {
        switch phase {
        case .open(let session):
            switch session.stage {
            case .erasing: .erasing
            case .receiving: .receiving
            case .verifying: .verifying
            case .accepted: .accepted
            }
        case .failed: .failed
        case .idle, .selected: ears.selectedSlot(in: flash) == ears.runningSlot ? .idle : .selected
        }
    }

    private var nextOffset: UInt32 {
        switch phase {
        case .idle: 0
        case .open(let session): UInt32(session.received)
        case .failed(_, let received, _, _): UInt32(received)
        case .selected(_, let received): UInt32(received)
        }
    }

    mutating func status(_ flash: Flash) -> UpdateStatus {
        let open: UpdateSession? = if case .open(let session) = phase { session } else { nil }
        return UpdateStatus(
            runningSlot: UInt32(ears.runningSlot), selectedSlot: UInt32(ears.selectedSlot(in: flash)),
            slots: ears.slots.indices.map { slot($0, flash) }, bootCount: ears.bootCount,
            resetReason: ears.resetReason, batteryPercent: ears.configuration.battery?.percent,
            batteryPercentNeeded: ears.configuration.battery?.percentNeededForUpdate ?? 0,
            sessionSize: UInt32(open?.size ?? 0), sessionSHA256: open?.sha256 ?? [],
            hasRollback: ears.configuration.hasRollback)
    }

    private mutating func slot(_ index: Int, _ flash: Flash) -> Slot {
        let partition = ears.slots[index]
        let reading = readings.reading(ofSlot: index, in: partition, of: flash, ears.verifier)
        return Slot(
            index: UInt32(index), capacity: UInt32(partition.size), imageDigest: reading.digest,
            version: reading.descriptor?.version ?? "", project: reading.descriptor?.project ?? "",
            otaState: ears.otaState(ofSlot: index, in: flash))
    }
}

/// What the slots hold, read once for as long as they do not change: a digest over a megabyte is slow.
struct SlotReadings: Sendable {
    struct Reading: Sendable {
        /// Empty: no image that passes the ears' check, or one without a hash.
        let digest: [UInt8]
        let descriptor: ApplicationDescriptor?
    }

    private var known: [Int: Reading] = [:]

    mutating func forget(slot: Int) { known[slot] = nil }

    mutating func reading(
        ofSlot slot: Int, in partition: PartitionTable.Partition, of flash: Flash, _ verifier: ImageVerifier
    ) -> Reading {
        if let reading = known[slot] { return reading }
        let image = try? verifier.verify(flash, in: partition)
        let descriptor = image.flatMap { _ in ApplicationDescriptor(in: flash, imageAt: partition.offset) }
        let reading = Reading(digest: image?.digest ?? [], descriptor: descriptor)
        known[slot] = reading
        return reading
    }
}

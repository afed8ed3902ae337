public import ControlProtocol
public import Ears

/// What identifies the firmware of a pair of ears at one moment: slots with digest and otadata state, and the boot
/// count. Made from an authenticated read, and kept with the verdict that it earned.
public struct FirmwareReading: Hashable, Sendable {
    public struct SlotReading: Hashable, Sendable {
        /// N of `ota_N`.
        public var index: UInt32
        /// The image's appended SHA-256; empty where the ears could read no image.
        public var digest: [UInt8]
        public var version: String
        public var otaState: OTAState

        /// By what the ears say of it: they could read an image, and nothing has given it up.
        public var isBootable: Bool { !digest.isEmpty && ![.invalid, .aborted].contains(otaState) }

        public init(index: UInt32, digest: [UInt8], version: String, otaState: OTAState) {
            self.index = index
            self.digest = digest
            self.version = version
            self.otaState = otaState
        }
    }

    public var runningSlot: UInt32
    public var selectedSlot: UInt32
    public var slots: [SlotReading]
    public var bootCount: UInt32
    /// Of the update endpoint.
    public var updateState: UpdateState
    /// Of the file that the open session is about; empty where there is none.
    public var sessionSHA256: [UInt8]
    /// In recovery nothing of ``running`` runs.
    public var mode: EarsMode

    public init(
        runningSlot: UInt32, selectedSlot: UInt32, slots: [SlotReading], bootCount: UInt32,
        updateState: UpdateState = .idle, sessionSHA256: [UInt8] = [], mode: EarsMode = .normal
    ) {
        self.runningSlot = runningSlot
        self.selectedSlot = selectedSlot
        self.slots = slots
        self.bootCount = bootCount
        self.updateState = updateState
        self.sessionSHA256 = sessionSHA256
        self.mode = mode
    }

    public init(_ reading: UpdateReading) {
        self.init(
            runningSlot: reading.running.index, selectedSlot: reading.selected.index,
            slots: reading.status.slots.map {
                SlotReading(
                    index: $0.index, digest: $0.imageDigest, version: $0.version, otaState: $0.otaState)
            },
            bootCount: reading.status.bootCount, updateState: reading.state,
            sessionSHA256: reading.session == 0 ? [] : reading.status.sessionSHA256, mode: reading.mode)
    }

    public func slot(_ index: UInt32) -> SlotReading? { slots.first { $0.index == index } }
    public var running: SlotReading? { slot(runningSlot) }
}

/// What an update is to end in: this image, in this slot.
public struct UpdateTarget: Hashable, Sendable {
    public var slot: UInt32
    /// The image's own appended SHA-256.
    public var imageDigest: [UInt8]
    /// SHA-256 of the whole file, as `begin` carries it.
    public var fileSHA256: [UInt8]
    public var version: String

    public init(slot: UInt32, imageDigest: [UInt8], fileSHA256: [UInt8], version: String) {
        self.slot = slot
        self.imageDigest = imageDigest
        self.fileSHA256 = fileSHA256
        self.version = version
    }
}

extension FirmwareReading {
    /// The same image may stand in both slots (a reinstall), so the slot belongs to the identity.
    /// In recovery nothing of the slots runs.
    func runs(_ target: UpdateTarget) -> Bool {
        mode == .normal && runningSlot == target.slot && holds(target)
    }

    /// What a boot would start: the selected slot where it can be booted, else another one, as the boot loader goes on
    /// to look (`bootloader_utility.c`); nil: nothing.
    public var bootableSlot: SlotReading? {
        slot(selectedSlot).flatMap { $0.isBootable ? $0 : nil } ?? slots.first(where: \.isBootable)
    }

    func selects(_ target: UpdateTarget) -> Bool {
        selectedSlot == target.slot && holds(target)
    }

    func holds(_ target: UpdateTarget) -> Bool {
        slot(target.slot)?.digest == target.imageDigest
    }

    /// Whether what runs is what ran when `earlier` was read; in recovery, whether a boot would find the same.
    func runsTheSame(as earlier: FirmwareReading) -> Bool {
        runningSlot == earlier.runningSlot && running?.digest == earlier.running?.digest
    }

    /// Whether the ears are still at work on the file: what they select may change by itself.
    func isDeciding(on target: UpdateTarget) -> Bool {
        [.verifying, .accepted].contains(updateState) && sessionSHA256 == target.fileSHA256
    }

    /// Whether the bootloader, or the image itself, gave the target up.
    func hasGivenUp(_ target: UpdateTarget) -> Bool {
        holds(target) && [.aborted, .invalid].contains(slot(target.slot)?.otaState)
    }
}

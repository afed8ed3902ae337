/// One pair of ears: bytes and time in, bytes and effects out.
///
/// Times count from an instant of the caller's choice and never go back. What a call brings about is kept until
/// ``advance(to:)`` hands it over, so the caller advances after each call, and again at ``nextDeadline``.
public struct SimulatedEars: Sendable {
    public let configuration: EarsConfiguration
    public internal(set) var flash: Flash
    /// What survives without power beside the application slots.
    public internal(set) var memory: RetainedMemory

    var activity = Activity.off
    var link: Link?
    /// Of the button; used up by the bond that it allowed.
    var lastClick: Duration?
    /// When somebody puts the battery back.
    var powerReturns: Duration?
    /// The slot that an update wrote and that has not proved itself since.
    var unprovenSlot: Int?
    /// How often new firmware was asked for its status since the restart into it; nil before that.
    var statusesSinceRestart: Int?
    var generator: SplitMix64
    /// Somebody asked for recovery mode at the next boot.
    var entersRecovery: Bool
    var spentFaults: Set<Fault> = []
    var time: Duration = .zero
    var effects: [Effect] = []

    /// Powered off. Without `flash` they are fresh from the maker.
    public init(configuration: EarsConfiguration, flash: Flash? = nil, memory: RetainedMemory = RetainedMemory()) {
        self.configuration = configuration
        self.flash = flash ?? .factory(of: configuration)
        self.memory = memory
        entersRecovery = configuration.mode == .recovery
        generator = SplitMix64(seed: configuration.seed)
        if configuration.faults.contains(.staleBond) { self.memory.bonds.removeAll() }
        if let size = configuration.secondSlotSize {
            let table = PartitionTable.standard(for: configuration.family, secondSlotSize: size)
            self.flash.write(table.encoded(), at: PartitionTable.offset)
        }
        guard flash == nil else { return }
        if configuration.faults.contains(.noFirmware) { emptySlots() }
        // Ears that are brought into recovery were in use before: their first boot is behind them.
        guard entersRecovery else { return }
        let loader = BootLoader(chip: configuration.family.chip, hasRollback: configuration.hasRollback)
        _ = loader.boot(&self.flash)
    }

    private mutating func emptySlots() {
        for slot in PartitionTable(in: flash)?.slots ?? [] {
            flash.write([UInt8](repeating: 0xFF, count: slot.size), at: slot.offset)
        }
    }

    /// The GATT table, the same at all times.
    public var gatt: GATTTable { .ears }

    /// What can be seen in a scan: nothing while a link is up or no firmware of ears runs.
    public var advertisement: Advertisement? {
        guard link == nil, case .running(let firmware) = activity else { return nil }
        return Advertisement(name: firmware.control.settings.name, serviceUUID: gatt.serviceUUID)
    }

    /// The earliest time at which something happens by itself.
    public var nextDeadline: Duration? {
        [activity.nextDeadline, powerReturns, link?.pairing?.deadline].compactMap(\.self).min()
    }

    /// From reset until the firmware answers.
    package var isStarting: Bool { if case .starting = activity { true } else { false } }

    /// The battery goes in the middle of the last of this many operations of flash; nil: it stays, or is gone.
    package var flashOperationsUntilPowerLoss: Int? {
        get { flash.operationsUntilPowerLoss }
        set { flash.operationsUntilPowerLoss = newValue }
    }

    /// Lets time pass, and takes what happened since it was last asked.
    public mutating func advance(to now: Duration) -> [Effect] {
        pass(to: now)
        defer { effects = [] }
        return effects
    }

    /// Does what was due, in the order in which it was.
    mutating func pass(to now: Duration) {
        while let due = nextDeadline, due <= now {
            time = max(time, due)
            runDue()
        }
        time = max(time, now)
    }
}

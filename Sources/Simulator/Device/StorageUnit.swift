import ControlProtocol

/// Where the ears keep settings and bonds: good, or damaged and to be repaired.
struct StorageUnit: Sendable {
    private let configuration: EarsConfiguration
    private(set) var health: StorageHealth
    private var repair: (changeID: UInt32, endsAt: Duration)?
    private(set) var repairedBy: UInt32 = 0

    static let repairTime: Duration = .milliseconds(800)
    static let memoryKey = "storage.repaired"

    init(_ configuration: EarsConfiguration, _ memory: RetainedMemory) {
        self.configuration = configuration
        let isDamaged = configuration.faults.contains(.storageDamaged) && memory.settings[Self.memoryKey] == nil
        health = isDamaged ? .damaged : .good
    }

    var isWritable: Bool { health == .good }
    var nextDeadline: Duration? { repair?.endsAt }

    var state: StorageState {
        StorageState(
            health: health, lostByRepair: ["settings", "saved palettes", "the calibration"], repairedBy: repairedBy)
    }

    func refusal(of command: StorageCommand) -> SettingRefusalReason? { health == .repairing ? .busy : nil }

    mutating func apply(_ command: StorageCommand, change id: UInt32, at now: Duration) {
        health = .repairing
        repair = (id, now + configuration.repairTime)
    }

    /// - Returns: true once a repair has reset what was kept.
    mutating func advance(to now: Duration, memory: inout RetainedMemory) -> Bool {
        guard let repair, repair.endsAt <= now else { return false }
        self.repair = nil
        guard !configuration.faults.contains(.repairFails) else {
            health = .repairFailed
            return false
        }
        health = .good
        repairedBy = repair.changeID
        memory.settings = [Self.memoryKey: [1]]
        return true
    }
}

public enum StorageHealth: Hashable, Sendable {
    case notReported
    case good
    case damaged
    case repairing
    case repairFailed
    case unknown(UInt32)
}

/// Property `storage.state`: where the ears keep settings and bonds.
public struct StorageState: Hashable, Sendable {
    public var health: StorageHealth
    /// What a repair would reset, for people.
    public var lostByRepair: [String]
    /// The id of the last change that repaired; 0 for none since the ears started.
    public var repairedBy: UInt32

    public init(health: StorageHealth, lostByRepair: [String] = [], repairedBy: UInt32 = 0) {
        self.health = health
        self.lostByRepair = lostByRepair
        self.repairedBy = repairedBy
    }
}

/// Property `storage.command`, within a change.
public enum StorageCommand: Hashable, Sendable, CaseIterable {
    case repair
}

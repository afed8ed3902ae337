public import Bluetooth
import CommandLineTools

extension Array<Adapter> {
    /// The one that was asked for, or the first, where it can be used.
    func usable(_ wanted: AdapterName?) -> Adapter? {
        first { $0.obstacle == nil && (wanted == nil || $0.name == wanted) }
    }

    /// - Throws: why none is usable.
    func firstUsable(_ wanted: AdapterName?) throws(CommandFailure) -> Adapter {
        guard let adapter = usable(wanted) else { throw CommandFailure(BluetoothError.machine(obstacle(wanted))) }
        return adapter
    }

    /// Why none is usable.
    func obstacle(_ wanted: AdapterName?) -> MachineState {
        guard let first else { return .noAdapter }
        guard let adapter = wanted.map({ name in self.first { $0.name == name } }) ?? first else {
            return .noSuchAdapter(wanted ?? first.name, present: map(\.name))
        }
        return adapter.obstacle ?? .adapterOff(adapter.name)
    }
}

extension Adapter {
    /// Why it cannot be used; nil where it can.
    var obstacle: MachineState? {
        if let block { return .adapterBlocked(name, by: block) }
        if !isPowered { return .adapterOff(name) }
        if let daemonVersion, daemonVersion < .minimum { return .daemonTooOld(daemonVersion) }
        return nil
    }
}

extension RadioSwitches {
    /// Where sysfs is: `/sys`, unless `SYSFS_PATH` says otherwise, as sysfsutils has it.
    public init(_ environment: [String: String]) {
        let folder = environment["SYSFS_PATH"].flatMap { $0.hasPrefix("/") ? $0 : nil }
        self.init(systemFolder: folder ?? "/sys")
    }
}

extension EarsFinder {
    /// A discovery of another program does not stop ours: BlueZ merges them.
    func noteOtherDiscovery(on adapter: Adapter) {
        guard adapter.isDiscovering else { return }
        let caution = CommandFailure.discoveringElsewhere(adapter.name)
        console.note(caution.cause)
        if let remedy = caution.remedy { console.note("  → \(remedy)") }
    }
}

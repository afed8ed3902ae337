/// What sysfs has of radio switches (`class/rfkill`), as files of a run: those of the machine itself say nothing of
/// simulated adapters.
enum RadioSwitchFiles {
    /// - Returns: the folder that stands for `/sys`.
    static func make(in folder: String, _ options: SimulationOptions) throws(SimulationError) -> String {
        let root = folder + "/sys"
        try Folder.make(root)
        let faults = options.faults.machine
        // With this one BlueZ says it and the kernel's files do not.
        guard faults.isDisjoint(with: [.adapterBlocked, .noAdapter]) else { return root }
        for number in 0..<options.adapters {
            let entry = root + "/class/rfkill/rfkill\(number)"
            try Folder.make(entry)
            let isSoft = faults.contains(.adapterSoftBlocked)
            let isHard = faults.contains(.adapterHardBlocked)
            let files = [
                ("type", "bluetooth"), ("name", "hci\(number)"), ("soft", isSoft ? "1" : "0"),
                ("hard", isHard ? "1" : "0"),
            ]
            for (name, text) in files { try Folder.write(Array((text + "\n").utf8), to: entry + "/" + name) }
        }
        return root
    }
}

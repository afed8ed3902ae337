import DBus

/// The programs on the bus that are known to be default agents.
extension BlueZObjects {
    /// Connections of the bus that are looked at; a desktop has about a hundred.
    private nonisolated static let connectionLimit = 512

    /// By their processes; none where the bus does not say in time.
    func agentPrograms() async -> [AgentProgram] {
        guard let connection else { return [] }
        return await Self.processes(on: connection, within: limits.answer).sorted().compactMap {
            AgentProgram(process: $0)
        }
    }

    private nonisolated static func processes(on connection: BusConnection, within limit: Duration) async -> Set<UInt32>
    {
        guard let reply = try? await connection.call(toBus("ListNames"), deadline: limit),
            case .array(_, let names)? = reply.first
        else { return [] }
        let connections = names.compactMap { name -> String? in
            if case .string(let text) = name, text.hasPrefix(":") { text } else { nil }
        }
        return await withTaskGroup(of: UInt32?.self) { group in
            for name in connections.prefix(connectionLimit) {
                group.addTask {
                    let call = toBus("GetConnectionUnixProcessID", [.string(name)])
                    let reply = try? await connection.call(call, deadline: limit)
                    return if case .uint32(let process)? = reply?.first { process } else { nil }
                }
            }
            var processes: Set<UInt32> = []
            for await process in group { if let process { processes.insert(process) } }
            return processes
        }
    }

    private nonisolated static func toBus(_ member: String, _ arguments: [DBusValue] = []) -> MethodCall {
        MethodCall(member, of: BlueZName.bus, at: BlueZName.busPath, to: BlueZName.bus, arguments)
    }
}

extension AgentProgram {
    /// Programs that register as the default agent as long as they run: of BlueZ and bluez-tools, and of desktops. Names
    /// are cut to the kernel's 15 bytes.
    private static let known: Set<String> = [
        "bluetoothctl", "bt-agent", "simple-agent", "bluez-simple-ag", "blueman-applet", "blueman-manager",
        "blueberry-tray", "gnome-shell", "gnome-control-c", "cinnamon", "budgie-panel", "kded5", "kded6",
        "io.elementary.b", "overskride", "bluetuith",
    ]

    /// - Returns: nil for a program that is not known for it, or has ended.
    fileprivate init?(process: UInt32) {
        guard let name = SystemFile.line("/proc/\(process)/comm"), Self.known.contains(name) else { return nil }
        let words = SystemFile.bytes("/proc/\(process)/cmdline")?.split(separator: 0) ?? []
        self.init(
            name: name, process: process,
            comparesNothing: words.contains { String(decoding: $0, as: UTF8.self).hasSuffix("NoInputNoOutput") })
    }
}

import DBus
import Glibc

/// A run's surroundings: a private message bus, `org.bluez` with ears on it, and the demonstration catalogue.
public actor Simulation {
    /// The ears were on before anybody came: they have booted by then.
    private static let bootTime = Duration.seconds(2)
    /// What BlueZ connects by itself is connected by then.
    private static let startTime = Duration.seconds(4)
    private static let connectDeadline = Duration.seconds(5)

    /// Who plays `org.bluez`.
    private enum BlueZ {
        case service(BlueZService)
        /// The ears are there, and nobody owns the name.
        case nobody(BluetoothDaemon)
    }

    /// What a command needs to find it all, to be laid over its own environment.
    public nonisolated let environment: [String: String]

    /// The file that the first pair's serial console is written to.
    public nonisolated let serialConsole: String

    private let options: SimulationOptions
    /// Removed at the end.
    let folder: String
    private var state: StateKeeper?
    private let server: LoopbackServer
    private let bus: MessageBusDaemon?
    private let hungBus: HungSocket?
    private let agent: DefaultAgent?
    private let connection: BusConnection?
    private let bluez: BlueZ
    private var hasStopped = false

    /// Sets everything up; what was begun is undone where something fails.
    ///
    /// - Parameter path: the PATH of commands, this executable's folder first.
    public static func start(
        _ options: SimulationOptions, path: String
    ) async throws(SimulationError) -> Simulation {
        let folder = try Folder.temporary()
        do throws(SimulationError) {
            return try await Simulation(options, folder: folder, path: path)
        } catch {
            Folder.remove(folder)
            throw error
        }
    }

    private init(_ options: SimulationOptions, folder: String, path: String) async throws(SimulationError) {
        let state = try options.stateFolder.map { path throws(SimulationError) in StateKeeper(try StateFolder(path)) }
        let daemon = try Self.daemon(options, state)
        let serial = try SerialConsole(in: folder, count: options.ears)
        let repository = try DemonstrationRepository()
        server = try LoopbackServer { path in repository.contents(of: String(path.dropFirst())) }
        let isHung = options.faults.machine.contains(.hungBus)
        hungBus = isHung ? try HungSocket(at: MessageBusDaemon.path(in: folder)) : nil
        let bus = try await Self.bus(in: folder, options.faults.machine, path: path)
        do throws(SimulationError) {
            serialConsole = serial.paths[0]
            environment = try Self.environment(
                folder: folder, state: state?.path, path: path, server: server, serial: serial
            ).merging(["SYSFS_PATH": RadioSwitchFiles.make(in: folder, options)]) { _, new in new }
            connection = try await Self.connect(to: bus)
            bluez = try await Self.bluez(daemon, on: connection, serial, state)
            agent = try await Self.agent(on: bus, in: folder, options.faults.machine)
        } catch {
            await bus?.stop()
            throw error
        }
        self.bus = bus
        self.options = options
        self.folder = folder
        self.state = state
    }

    /// Powers the ears off, keeps what is to be kept, ends every process and removes the run's folder.
    ///
    /// - Throws: `file` where something could not be kept; everything is ended and removed all the same.
    public func stop() async throws(SimulationError) {
        guard !hasStopped else { return }
        hasStopped = true
        let daemon = await stopBlueZ()
        await agent?.stop()
        await connection?.close()
        await bus?.stop()
        server.stop()
        defer {
            Folder.remove(folder)
            // Lets the folder's lock go.
            state = nil
        }
        try keep(daemon)
    }

    private func stopBlueZ() async -> BluetoothDaemon {
        switch bluez {
        case .service(let service): await service.stop()
        case .nobody(let daemon): daemon
        }
    }

    private func keep(_ daemon: BluetoothDaemon) throws(SimulationError) {
        var ears = daemon.peripherals.compactMap { $0 as? EarsOnAir }
        for number in ears.indices { ears[number].powerOff(at: daemon.now) }
        if let dump = options.flashDump {
            for (number, pair) in ears.enumerated() {
                try Folder.write(pair.ears.flash.bytes, to: number == 0 ? dump : "\(dump).\(number + 1)")
            }
        }
        try state?.save(ears.map(\.ears), daemon.knownDevices)
    }
}

// MARK: The parts

extension Simulation {
    private static func daemon(
        _ options: SimulationOptions, _ state: StateKeeper?
    ) throws(SimulationError) -> BluetoothDaemon {
        var known = try state?.knownDevices() ?? [:]
        var peripherals: [any AirPeripheral] = []
        for number in 0..<options.ears {
            let configuration = options.earsConfiguration(number)
            var ears = try load(configuration, state?.ears(number))
            let isFresh = ears.memory.bootCount == 0
            let adapter = options.adapterAddresses[number % options.adapters]
            if isFresh, options.isPaired { known[adapter, default: []].append(ears.bond(with: adapter)) }
            ears.powerOn(at: .zero)
            peripherals.append(EarsOnAir(ears, clicksWhenNeeded: options.clicksWhenNeeded))
        }
        var daemon = BluetoothDaemon(
            adapters: options.adapterAddresses, peripherals: peripherals, timing: options.timing,
            faults: options.faults.machine)
        _ = daemon.advance(to: bootTime)
        for (adapter, devices) in known { for device in devices { daemon.restore(device, onAdapter: adapter) } }
        if !options.faults.machine.isDisjoint(with: [.alreadyConnected, .heldElsewhere]) {
            daemon.connectKnownDevices()
        }
        _ = daemon.advance(to: startTime)
        try state?.begin(with: &daemon)
        return daemon
    }

    private static func load(
        _ configuration: EarsConfiguration, _ folder: EarsFolder?
    ) throws(SimulationError) -> SimulatedEars {
        guard let folder else { return SimulatedEars(configuration: configuration) }
        do throws(EarsFolderError) { return try folder.load(configuration) } catch { throw SimulationError(error) }
    }

    private static func bus(
        in folder: String, _ faults: Set<DaemonFault>, path: String
    ) async throws(SimulationError) -> MessageBusDaemon? {
        if !faults.isDisjoint(with: [.noBus, .hungBus]) { return nil }
        return try await MessageBusDaemon(in: folder, policy: MessageBusDaemon.Policy(faults), path: path)
    }

    private static func agent(
        on bus: MessageBusDaemon?, in folder: String, _ faults: Set<DaemonFault>
    ) async throws(SimulationError) -> DefaultAgent? {
        guard let bus, faults.contains(.defaultAgent) else { return nil }
        return try await DefaultAgent(on: bus.address, in: folder)
    }

    private static func connect(to bus: MessageBusDaemon?) async throws(SimulationError) -> BusConnection? {
        guard let bus, bus.policy != .closed else { return nil }
        do throws(DBusError) {
            return try await BusConnection(to: .explicit(bus.address), deadline: connectDeadline)
        } catch {
            throw .bus(BusFault(error))
        }
    }

    private static func bluez(
        _ daemon: BluetoothDaemon, on connection: BusConnection?, _ serial: SerialConsole, _ state: StateKeeper?
    ) async throws(SimulationError) -> BlueZ {
        guard let connection, daemon.faults.isDisjoint(with: [.noDaemon, .activatableDaemon]) else {
            return .nobody(daemon)
        }
        let service = BlueZService(
            daemon, on: connection, startingAt: startTime,
            onConsole: { ears, line in serial.write(line, of: ears) },
            beforeAnswering: { [weak state] daemon in state?.keepChanges(of: &daemon) })
        do throws(DBusError) { try await service.start() } catch { throw .bus(BusFault(error)) }
        return .service(service)
    }

    private static func environment(
        folder: String, state: String?, path: String, server: LoopbackServer, serial: SerialConsole
    ) throws(SimulationError) -> [String: String] {
        let kept = (state ?? folder) + "/xdg"
        var environment = [
            "PATH": path, "DBUS_SYSTEM_BUS_ADDRESS": MessageBusDaemon.address(in: folder),
            "XDG_STATE_HOME": kept + "/state", "XDG_CACHE_HOME": kept + "/cache",
            "XDG_CONFIG_HOME": kept + "/config", "XDG_RUNTIME_DIR": folder + "/runtime",
        ]
        for (variable, folder) in environment where variable.hasPrefix("XDG_") { try Folder.make(folder) }
        for (number, path) in serial.paths.enumerated() {
            environment[number == 0 ? "ESPURR_SIM_SERIAL" : "ESPURR_SIM_SERIAL_\(number + 1)"] = path
        }
        let root = folder + "/demonstration.root.json"
        try Folder.write(DemonstrationRepository.root, to: root)
        let configuration = """
            {"schema":"espurr.config/1","catalogue":{"address":"http://127.0.0.1:\(server.port)","root":"\(root)"}}

            """
        try Folder.make(kept + "/config/espurr")
        try Folder.write(Array(configuration.utf8), to: kept + "/config/espurr/config.json")
        return environment
    }
}

extension SimulatedEars {
    /// A bond as if they had been paired before; only this side knows it where the ears are to have forgotten it.
    fileprivate mutating func bond(with adapter: String) -> KnownDevice {
        let hasForgotten = configuration.faults.contains(.staleBond)
        let key =
            hasForgotten
            ? (0..<16).map { _ in UInt8.random(in: .min ... .max) } : provisionBond(with: adapter).bytes
        return KnownDevice(
            address: configuration.address, name: configuration.factoryName, services: [gatt.serviceUUID], key: key)
    }
}

extension SimulationError {
    init(_ error: EarsFolderError) {
        self =
            switch error {
            case .unreadable(let path), .damaged(let path): .stateUnreadable(path: path)
            case .otherFamily(let family): .otherFamily(family)
            case .notWritten(let error): SimulationError(error)
            }
    }
}

public import Bluetooth
public import CommandLineTools
public import Ears

/// Finds the ears that a command is about, connects to them and opens a session.
public struct EarsFinder: Sendable {
    public let central: any Central
    public let directories: UserDirectories
    public let console: Console
    public let clock: any Clock<Duration>
    /// For remedies: `espurr-ota status`.
    public let command: String

    public init(
        central: any Central, directories: UserDirectories, console: Console, clock: any Clock<Duration>,
        command: String
    ) {
        self.central = central
        self.directories = directories
        self.console = console
        self.clock = clock
        self.command = command
    }

    public init(_ invocation: Invocation) throws(CommandFailure) {
        self.init(
            central: BlueZCentral(), directories: try UserDirectories(environment: invocation.environment),
            console: invocation.console, clock: ContinuousClock(),
            command: "\(invocation.program) \(invocation.verb)")
    }

    /// The bonded ears that the options mean; nothing is connected yet.
    ///
    /// Where none fits, a scan within the time limit tells ears that are not paired (12) from none at all (11).
    public func find(_ options: EarsOptions) async throws(CommandFailure) -> Sighting {
        let adapter = try await usableAdapter(options.adapter)
        let known = try await asking { () throws(BluetoothError) in
            try await central.known(with: EarsSession.service, on: options.adapter)
        }
        let memory = RememberedEars(stateFolder: directories.state)
        switch EarsChoice.bonded(known, named: options.device, remembered: memory.address) {
        case .chosen(let sighting):
            if options.device != nil {
                do { try memory.remember(sighting.address) } catch { throw CommandFailure(writing: error) }
            }
            console.detail("using \(sighting.inWords) on \(sighting.adapter)")
            return sighting
        case .several(let sightings): throw .several(sightings, verb: command)
        case .none: throw try await explainAbsence(options, on: adapter)
        }
    }

    /// A session with the ears that the options mean, owned by this command until it ends.
    public func open(_ options: EarsOptions) async throws(CommandFailure) -> OwnedSession {
        let sighting = try await find(options)
        return try await open(sighting, timeout: options.timeout)
    }

    public func open(_ sighting: Sighting, timeout: Duration) async throws(CommandFailure) -> OwnedSession {
        let lock = try own(sighting)
        console.detail("connecting to \(sighting.inWords)")
        let peripheral = try await asking { () throws(BluetoothError) in
            try await central.connect(to: sighting.address, on: sighting.adapter, deadline: timeout)
        }
        do throws(EarsError) {
            return OwnedSession(
                session: try await EarsSession.open(on: peripheral, clock: clock), sighting: sighting, lock: lock)
        } catch {
            throw CommandFailure(error)
        }
    }

    /// One command owns a pair of ears; another is told who holds them.
    public func own(_ sighting: Sighting) throws(CommandFailure) -> EarsLock {
        try directories.prepareRuntime()
        do throws(EarsLockError) {
            return try EarsLock(
                adapter: sighting.adapter, address: sighting.address, in: directories.runtime)
        } catch {
            throw CommandFailure(error, of: sighting)
        }
    }

    /// Removes this machine's bond.
    public func forget(_ sighting: Sighting) async throws(CommandFailure) {
        let lock = try own(sighting)
        defer { withExtendedLifetime(lock) {} }
        try await asking { () throws(BluetoothError) in
            try await central.removeBond(of: sighting.address, on: sighting.adapter)
        }
    }

    /// The adapter that was asked for, or the first that is powered.
    public func usableAdapter(_ wanted: AdapterName?) async throws(CommandFailure) -> AdapterName {
        let adapters = try await asking { () throws(BluetoothError) in try await central.adapters() }
        guard let adapter = adapters.usable(wanted) else {
            throw CommandFailure(BluetoothError.machine(adapters.obstacle(wanted)))
        }
        return adapter.name
    }

    /// Why no bonded ears fit: they are there and not paired, or they are not there.
    private func explainAbsence(
        _ options: EarsOptions, on adapter: AdapterName
    ) async throws(CommandFailure) -> CommandFailure {
        console.note("looking for \(options.device.map { "“\($0)”" } ?? "ears") on \(adapter)…")
        let heard = try await scan(on: adapter, for: options.timeout) { sightings, _, _ in
            sightings.contains { options.device?.matches($0) ?? true }
        }
        guard let sighting = heard.first(where: { options.device?.matches($0) ?? true }) else {
            return .notFound(options.device, after: options.timeout)
        }
        return .notPaired(sighting)
    }

    /// What is heard until `enough` says so or the time is up; one entry for each address, in the order of appearance.
    ///
    /// - Parameter enough: told all entries, the one that was just heard, and whether it is new.
    public func scan(
        on adapter: AdapterName, for time: Duration,
        until enough: @escaping @Sendable ([Sighting], Sighting, _ isNew: Bool) -> Bool
    ) async throws(CommandFailure) -> [Sighting] {
        let heard = SightingList()
        let central = central
        let clock = clock
        do {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    for try await sighting in central.discover(EarsSession.service, on: adapter) {
                        let (all, isNew) = heard.add(sighting)
                        if enough(all, sighting, isNew) { return }
                    }
                }
                group.addTask { try await clock.sleep(for: time) }
                try await group.next()
                group.cancelAll()
            }
        } catch let error as BluetoothError {
            throw CommandFailure(error)
        } catch {
            throw CommandFailure(BluetoothError.cancelled)
        }
        if Task.isCancelled { throw CommandFailure(BluetoothError.cancelled) }
        return heard.sightings
    }

    /// Bluetooth's error in words.
    public func asking<Value: Sendable>(
        _ operation: () async throws(BluetoothError) -> Value
    ) async throws(CommandFailure) -> Value {
        do { return try await operation() } catch { throw CommandFailure(error) }
    }
}

extension Array<Adapter> {
    func usable(_ wanted: AdapterName?) -> Adapter? {
        first { $0.isPowered && !$0.isBlocked && (wanted == nil || $0.name == wanted) }
    }

    /// Why none is usable.
    func obstacle(_ wanted: AdapterName?) -> MachineState {
        guard let first else { return .noAdapter }
        guard let adapter = wanted.map({ name in self.first { $0.name == name } }) ?? first else {
            return .noSuchAdapter(wanted ?? first.name, present: map(\.name))
        }
        return adapter.isBlocked ? .adapterBlocked(adapter.name) : .adapterOff(adapter.name)
    }
}

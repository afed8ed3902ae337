import DBus

extension BlueZObjects {
    /// Returns once the objects are there and current.
    func open() async throws(BluetoothError) {
        if hasGivenUp { throw .cancelled }
        switch state {
        case .open: return
        case .opening: break
        case .closed, .lost:
            state = .opening
            Task { await self.start() }
        }
        try await suspend { objects in
            switch objects.state {
            case .open: .success(())
            case .lost(let error): .failure(error)
            case .closed, .opening: nil
            }
        }.get()
    }

    private func start() async {
        do throws(BluetoothError) {
            let connection = try await connect()
            let names = try await signals([Self.ownerRule], on: connection)
            let daemon = try await findDaemon(on: connection)
            let signals = try await signals(Self.objectRules(of: daemon), on: connection)
            let objects = try await snapshot(of: daemon, on: connection)
            guard tree.replace(with: objects) else {
                throw .unexpected(name: "GetManagedObjects", message: "a reply of another type", during: .openBus)
            }
            state = .open(daemon: daemon)
            follow(names, of: daemon) { objects, signal in objects.followOwner(signal, of: daemon) }
            follow(signals, of: daemon) { objects, signal in objects.followObjects(signal, of: daemon) }
            wake()
        } catch {
            lose(error)
        }
    }

    private static let ownerRule = MatchRule(
        sender: BlueZName.bus, path: BlueZName.busPath, interface: BlueZName.bus, member: "NameOwnerChanged",
        firstArgument: BlueZName.service)

    /// What comes and goes, and what changes of adapters and devices. Nothing that is kept of other objects changes, and
    /// BlueZ tells the value of a characteristic after each read to whoever has a rule for it.
    private static func objectRules(of daemon: String) -> [MatchRule] {
        let changing = [BlueZName.adapter, BlueZName.device].map {
            MatchRule(
                sender: daemon, interface: BlueZName.properties, member: "PropertiesChanged", firstArgument: $0)
        }
        return [MatchRule(sender: daemon, interface: BlueZName.objectManager)] + changing
    }

    private func connect() async throws(BluetoothError) -> BusConnection {
        if let connection { return connection }
        do {
            let connection = try await BusConnection(to: address, deadline: limits.answer, clock: clock)
            self.connection = connection
            return connection
        } catch {
            throw BluetoothError(error, situation(.openBus, limits.answer))
        }
    }

    private func signals(
        _ rules: [MatchRule], on connection: BusConnection
    ) async throws(BluetoothError) -> AsyncStream<Signal> {
        do { return try await connection.signals(rules, deadline: limits.answer) } catch { throw lostBus(error) }
    }

    /// `GetNameOwner` starts nothing, so that a daemon that is not there is named at once.
    private func findDaemon(on connection: BusConnection) async throws(BluetoothError) -> String {
        let owner: String?
        do { owner = try await connection.owner(of: BlueZName.service, deadline: limits.answer) } catch {
            throw lostBus(error)
        }
        guard let owner else { throw .machine(.noDaemon(await absence(on: connection))) }
        return owner
    }

    /// Whether the bus could start the daemon; it is not asked to.
    private func absence(on connection: BusConnection) async -> DaemonAbsence {
        let call = MethodCall("ListActivatableNames", of: BlueZName.bus, at: BlueZName.busPath, to: BlueZName.bus)
        guard let reply = try? await connection.call(call, deadline: limits.answer),
            case .array(_, let names)? = reply.first
        else { return .notRunning }
        return names.contains(.string(BlueZName.service)) ? .notRunning : .notInstalled
    }

    private func snapshot(of daemon: String, on connection: BusConnection) async throws(BluetoothError) -> [DBusValue] {
        let call = MethodCall("GetManagedObjects", of: BlueZName.objectManager, at: BlueZName.root, to: daemon)
        do { return try await send(call, on: connection, within: limits.answer) } catch {
            if case .deadline(let limit) = error { throw .machine(.daemonSilent(after: limit)) }
            throw lostBus(error)
        }
    }

    /// A connection that failed once is not used again.
    private func lostBus(_ error: DBusError) -> BluetoothError {
        if error == .disconnected { connection = nil }
        return BluetoothError(error, situation(.openBus, limits.answer))
    }
}

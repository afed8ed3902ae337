import DBus

extension BlueZObjects {
    /// Calls BlueZ. It never starts it: the call goes to the daemon whose objects these are.
    ///
    /// - Throws: `cancelled`, with nothing sent, once the daemon was given up.
    func call(
        _ member: String, of interface: String, at path: String, _ arguments: [DBusValue] = [], within limit: Duration
    ) async throws(DBusError) -> [DBusValue] {
        guard case .open(let daemon) = state, let connection else {
            throw .remote(name: BlueZErrorName.nameHasNoOwner, message: "")
        }
        guard !hasGivenUp else { throw .cancelled }
        let call = MethodCall(member, of: interface, at: path, to: daemon, arguments)
        return try await send(call, on: connection, within: limit)
    }

    func send(
        _ call: MethodCall, on connection: BusConnection, within limit: Duration
    ) async throws(DBusError) -> [DBusValue] {
        do throws(DBusError) { return try await connection.call(call, deadline: limit) } catch {
            throw Self.namingDaemonsEnd(error)
        }
    }

    /// `NoReply` comes from the bus for a daemon that ended under the call: a deadline of ours is not `remote`.
    static func namingDaemonsEnd(_ error: DBusError) -> DBusError {
        guard case .remote(BlueZErrorName.noReply, _) = error else { return error }
        return .remote(name: BlueZErrorName.nameHasNoOwner, message: "")
    }

    func export(at path: String, _ handler: @escaping MethodHandler) async throws(DBusError) {
        guard let connection else { throw .disconnected }
        try await connection.export(at: path, handler: handler)
    }

    func unexport(_ path: String) async { await connection?.unexport(prefix: path) }

    func situation(_ operation: BluetoothError.Operation, _ limit: Duration, at device: Device1? = nil) -> Situation {
        var situation = Situation(operation: operation, bus: busName, limit: limit)
        situation.device = device?.address
        if let adapter = device.flatMap({ tree.adapters[$0.adapter] }) {
            situation.adapter = adapter.name
            situation.adapterBlock = tree.block(of: adapter)
        }
        return situation
    }

    /// Takes out at once what BlueZ has just removed.
    func forget(_ path: String) {
        tree.removeSubtree(path)
        wake()
    }
}

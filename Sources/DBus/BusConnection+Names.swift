import CDBus

extension BusConnection {
    /// How long the bus itself may take to answer.
    public static let busDeadline = Duration.seconds(10)

    /// The unique name that owns `name`, nil when nobody does.
    public func owner(of name: String, deadline: Duration = busDeadline) async throws(DBusError) -> String? {
        try await owner(of: name, expiry(deadline))
    }

    func owner(of name: String, _ expiry: Expiry) async throws(DBusError) -> String? {
        try DBusName.bus.check(name)
        do throws(DBusError) {
            let reply = try await call(MessageBus.call("GetNameOwner", [.string(name)]), expiry)
            guard case .string(let owner)? = reply.only else { throw .unexpectedReply(signature: "s") }
            return owner
        } catch .remote(name: DBusErrorName.nameHasNoOwner, _) {
            return nil
        }
    }

    /// Becomes the owner of a well-known name, without waiting in its queue.
    ///
    /// - Throws: `nameTaken`, and what ``call(_:deadline:)`` throws.
    public func requestName(_ name: String, deadline: Duration = busDeadline) async throws(DBusError) {
        try DBusName.bus.check(name)
        let flags = UInt32(DBUS_NAME_FLAG_DO_NOT_QUEUE)
        let reply = try await call(
            MessageBus.call("RequestName", [.string(name), .uint32(flags)]), deadline: deadline)
        guard case .uint32(let code)? = reply.only else { throw .unexpectedReply(signature: "u") }
        let isOurs =
            code == UInt32(DBUS_REQUEST_NAME_REPLY_PRIMARY_OWNER)
            || code == UInt32(DBUS_REQUEST_NAME_REPLY_ALREADY_OWNER)
        guard isOurs else { throw .nameTaken(name) }
    }

    /// Gives a name back; harmless when it is not ours.
    public func releaseName(_ name: String, deadline: Duration = busDeadline) async throws(DBusError) {
        try DBusName.bus.check(name)
        _ = try await call(MessageBus.call("ReleaseName", [.string(name)]), deadline: deadline)
    }
}

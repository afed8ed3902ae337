public import DBus

extension PrivateBus {
    /// A connection of its own to this bus.
    public func connect(
        clock: any Clock<Duration> = ContinuousClock()
    ) async throws(DBusError) -> BusConnection {
        // By the real clock, as the daemon is real: the test's own begins with the connection.
        try await BusConnection(to: .explicit(address), deadline: .seconds(30), clock: clock)
    }
}

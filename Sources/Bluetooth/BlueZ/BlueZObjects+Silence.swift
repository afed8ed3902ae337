import DBus

extension BlueZCentral {
    /// Somebody waits for the end from now on (after a Ctrl-C): a daemon that hangs is waited for no longer than
    /// ``BlueZLimits/cancelledExchange``, all calls together, those that are made to clean up too.
    ///
    /// Calls that are waited for then end as ``BluetoothError/cancelled``, or ``BluetoothError/abandoned(_:)`` where an
    /// exchange was sent. What ends something (a link, a scan, a pairing) is still sent: a daemon that wakes does it.
    /// Nothing changes with a daemon that answers. Harmless when it was called before.
    public func giveUpOnSilentDaemon() {
        Task { [objects] in await objects.watchForSilence() }
    }
}

extension BlueZObjects {
    /// Between an answer and the next question.
    private static let pingInterval = Duration.seconds(1)

    func watchForSilence() async {
        guard !isWatched else { return }
        isWatched = true
        while await !isDaemonSilent() {
            do { try await clock.sleep(for: Self.pingInterval) } catch { return }
        }
        giveUp()
    }

    /// Whether there is a daemon that does not answer a question without any work to it.
    private func isDaemonSilent() async -> Bool {
        let limit = limits.cancelledExchange
        switch state {
        // A call that needs it fails by itself, or opens it anew.
        case .closed, .lost: return false
        case .opening:
            try? await clock.sleep(for: limit)
            return if case .opening = state { true } else { false }
        case .open(let daemon):
            // The library answers it, on the thread that answers everything (D-Bus specification,
            // "org.freedesktop.DBus.Peer").
            let ping = MethodCall("Ping", of: BlueZName.peer, at: BlueZName.root, to: daemon)
            do { _ = try await connection?.call(ping, deadline: limit) } catch .deadline { return true } catch {}
            return false
        }
    }

    /// Ends what is waited for. From here on nothing is, and nothing new is begun.
    func giveUp() {
        hasGivenUp = true
        // An exchange first: it knows what it has sent.
        let waiting = waiters.values
        waiters = [:]
        for waiter in waiting { waiter.cancel() }
        guard let connection else { return }
        connection.assumeIsolated { $0.cancelCalls() }
    }

    /// Calls BlueZ to end something. It is sent whatever became of the daemon.
    func callToEnd(
        _ member: String, of interface: String, at path: String, _ arguments: [DBusValue] = [], within limit: Duration
    ) async throws(DBusError) -> [DBusValue] {
        guard hasGivenUp, case .open(let daemon) = state, let connection else {
            return try await call(member, of: interface, at: path, arguments, within: limit)
        }
        send(MethodCall(member, of: interface, at: path, to: daemon, arguments), on: connection)
        throw .cancelled
    }

    /// Sends what nobody waits for the reply of.
    private func send(_ call: MethodCall, on connection: BusConnection) {
        connection.assumeIsolated { connection in
            let started = connection.start(call, deadline: limits.answer) { _ in }
            if case .success(let ticket) = started { connection.abandon(ticket) }
        }
    }
}

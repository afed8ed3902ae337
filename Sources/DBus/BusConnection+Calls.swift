/// A deadline that has begun to run; several calls may share it.
struct Expiry {
    let deadline: Duration
    /// When it passes, since the connection was made.
    let due: Duration
}

struct PendingCall {
    let id: UInt64
    let expiry: Expiry
    /// Is called once, on the connection's executor.
    let onEnd: @Sendable (Result<[DBusValue], DBusError>) -> Void
}

/// A call under way.
package struct CallTicket: Sendable {
    fileprivate let id: UInt64
}

extension BusConnection {
    /// Calls a method and waits for the reply.
    ///
    /// A cancelled task gets `cancelled` at once; the call may have reached the peer all the same, and its reply is
    /// then dropped. `deadline` is this connection's own; a `NoReply` that came from the bus is `remote`.
    ///
    /// - Throws: `remote`, `deadline`, `cancelled`, `disconnected`, `invalidMessage`, `outOfMemory`.
    public func call(_ call: MethodCall, deadline: Duration) async throws(DBusError) -> [DBusValue] {
        try await self.call(call, expiry(deadline))
    }

    func expiry(_ deadline: Duration) -> Expiry {
        Expiry(deadline: deadline, due: elapsed() + min(deadline, DBusLimits.longestDeadline))
    }

    func call(_ call: MethodCall, _ expiry: Expiry) async throws(DBusError) -> [DBusValue] {
        try await reply(to: try begin(call), expiry)
    }

    /// Sends a call, after which its reply must be awaited without a suspension between.
    func begin(_ call: MethodCall) throws(DBusError) -> UInt32 {
        guard !Task.isCancelled else { throw .cancelled }
        guard let loop else { throw .disconnected }
        return try loop.send(try recentCalls.message(of: call))
    }

    func reply(to serial: UInt32, _ expiry: Expiry) async throws(DBusError) -> [DBusValue] {
        let id = newID()
        return try await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                wait(for: serial, PendingCall(id: id, expiry: expiry) { continuation.resume(returning: $0) })
            }
        } onCancel: {
            enqueue { $0.cancelCall(id) }
        }.get()
    }

    /// Calls a method; a task that nobody needs is spared to those that make thousands of calls.
    ///
    /// - Parameter onEnd: is called once on the event loop, unless the call is abandoned: with what
    ///   ``call(_:deadline:)`` returns or throws.
    /// - Returns: `disconnected`, `invalidMessage` or `outOfMemory` where nothing was sent.
    package func start(
        _ call: MethodCall, deadline: Duration,
        onEnd: @escaping @Sendable (Result<[DBusValue], DBusError>) -> Void
    ) -> Result<CallTicket, DBusError> {
        Result { () throws(DBusError) in
            guard let loop else { throw .disconnected }
            let serial = try loop.send(try recentCalls.message(of: call))
            let ticket = CallTicket(id: newID())
            wait(for: serial, PendingCall(id: ticket.id, expiry: expiry(deadline), onEnd: onEnd))
            return ticket
        }
    }

    /// The call may have reached the peer all the same; its reply is dropped. Harmless when the call has ended.
    package func abandon(_ ticket: CallTicket) {
        guard let serial = serial(of: ticket.id) else { return }
        pendingCalls[serial] = nil
    }

    private func wait(for serial: UInt32, _ call: PendingCall) {
        pendingCalls[serial] = call
        wake(at: call.expiry.due)
    }

    /// As they were made: of several that fail together the first is told first.
    private var inOrder: [(key: UInt32, value: PendingCall)] { pendingCalls.sorted { $0.key < $1.key } }

    private func serial(of id: UInt64) -> UInt32? { pendingCalls.first { $0.value.id == id }?.key }

    var pendingCallCount: Int { pendingCalls.count }

    func finishCall(_ message: ReceivedMessage) {
        guard let call = pendingCalls.removeValue(forKey: message.replySerial) else { return }
        call.onEnd(Result { () throws(DBusError) in try message.result() })
    }

    private func cancelCall(_ id: UInt64) {
        guard let serial = serial(of: id), let call = pendingCalls.removeValue(forKey: serial) else { return }
        call.onEnd(.failure(.cancelled))
    }

    /// Ends every call under way with `cancelled`, whoever waits for it.
    package func cancelCalls() { endCalls(.cancelled) }

    func failPendingCalls() { endCalls(.disconnected) }

    private func endCalls(_ error: DBusError) {
        nextExpiry?.task.cancel()
        nextExpiry = nil
        let calls = inOrder
        pendingCalls = [:]
        for (_, call) in calls { call.onEnd(.failure(error)) }
    }

    // MARK: Deadlines

    /// One sleeper serves all calls: it wakes at the earliest deadline.
    private func wake(at due: Duration) {
        if let nextExpiry, nextExpiry.due <= due { return }
        nextExpiry?.task.cancel()
        let delay = due - elapsed()
        let task = Task { [clock, weak self] in
            do { try await clock.sleep(for: delay) } catch { return }
            await self?.expire(due)
        }
        nextExpiry = (due, task)
    }

    private func expire(_ due: Duration) {
        if nextExpiry?.due == due { nextExpiry = nil }
        let now = elapsed()
        for (serial, call) in inOrder where call.expiry.due <= now {
            pendingCalls[serial] = nil
            call.onEnd(.failure(.deadline(call.expiry.deadline)))
        }
        if let next = pendingCalls.values.map(\.expiry.due).min() { wake(at: next) }
    }
}

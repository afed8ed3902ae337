/// A deadline that has begun to run; several calls may share it.
struct Expiry {
    let deadline: Duration
    /// When it passes, since the connection was made.
    let due: Duration
}

struct PendingCall {
    let id: UInt64
    let expiry: Expiry
    let continuation: CheckedContinuation<Result<[DBusValue], DBusError>, Never>
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
        return try loop.send(try RawMessage.call(call))
    }

    func reply(to serial: UInt32, _ expiry: Expiry) async throws(DBusError) -> [DBusValue] {
        let id = newID()
        return try await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                pendingCalls[serial] = PendingCall(id: id, expiry: expiry, continuation: continuation)
                wake(at: expiry.due)
            }
        } onCancel: {
            enqueue { $0.cancelCall(id) }
        }.get()
    }

    var pendingCallCount: Int { pendingCalls.count }

    func finishCall(_ message: ReceivedMessage) {
        guard let call = pendingCalls.removeValue(forKey: message.replySerial) else { return }
        call.continuation.resume(returning: Result { () throws(DBusError) in try message.result() })
    }

    private func cancelCall(_ id: UInt64) {
        guard let (serial, call) = pendingCalls.first(where: { $0.value.id == id }) else { return }
        pendingCalls[serial] = nil
        call.continuation.resume(returning: .failure(.cancelled))
    }

    func failPendingCalls() {
        nextExpiry?.task.cancel()
        nextExpiry = nil
        let calls = pendingCalls.values
        pendingCalls = [:]
        for call in calls { call.continuation.resume(returning: .failure(.disconnected)) }
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
        for (serial, call) in pendingCalls where call.expiry.due <= now {
            pendingCalls[serial] = nil
            call.continuation.resume(returning: .failure(.deadline(call.expiry.deadline)))
        }
        if let next = pendingCalls.values.map(\.expiry.due).min() { wake(at: next) }
    }
}

struct PendingCall {
    let id: UInt64
    let deadline: Duration
    /// When the deadline passes, since the connection was made.
    let due: Duration
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
        guard !Task.isCancelled else { throw .cancelled }
        let message = try RawMessage.call(call)
        guard let loop else { throw .disconnected }
        let id = newID()
        let serial = try loop.send(message)
        return try await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let due = elapsed() + deadline
                add(PendingCall(id: id, deadline: deadline, due: due, continuation: continuation), serial)
            }
        } onCancel: {
            enqueue { $0.cancelCall(id) }
        }.get()
    }

    var pendingCallCount: Int { pendingCalls.count }

    private func add(_ call: PendingCall, _ serial: UInt32) {
        pendingCalls[serial] = call
        wake(at: call.due)
    }

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
            await self?.expire()
        }
        nextExpiry = (due, task)
    }

    private func expire() {
        nextExpiry = nil
        let now = elapsed()
        for (serial, call) in pendingCalls where call.due <= now {
            pendingCalls[serial] = nil
            call.continuation.resume(returning: .failure(.deadline(call.deadline)))
        }
        if let next = pendingCalls.values.map(\.due).min() { wake(at: next) }
    }
}

import DBus

/// A call on a characteristic or descriptor, which fails at once when the link or the object goes.
struct GATTCall: Sendable {
    let operation: BluetoothError.Operation
    let member: String
    let interface: String
    let path: String
    let arguments: [DBusValue]
}

private enum GATTEnd: Sendable {
    case reply(Result<[DBusValue], DBusError>)
    case linkLost
    case cancelled
}

/// When a call ends early whose task is cancelled.
enum Heeding {
    case atOnce
    /// What began is finished, unless that takes longer than ``BlueZLimits/cancelledExchange``.
    case patiently
}

extension BlueZPeripheral {
    /// - Parameter find: makes the call from the objects as they are, while the link is up.
    func perform(
        _ operation: BluetoothError.Operation, within limit: Duration, heeding: Heeding = .atOnce,
        _ find: @Sendable (ObjectTree) throws(BluetoothError) -> GATTCall
    ) async throws(BluetoothError) -> [DBusValue] {
        let time = Deadline(limit, on: objects.clock)
        let (call, end) = try await objects.perform(operation, over: self, within: limit, heeding, find)
        switch end {
        case .linkLost: throw .linkLost(during: operation)
        case .cancelled: throw heeding == .atOnce ? .cancelled : .abandoned(operation)
        case .reply(.success(let values)): return values
        case .reply(.failure(let failure)):
            let elapsed = time.elapsed
            // In a task of its own, because a cancelled one cannot wait for the link's end.
            throw await Task { await translate(failure, of: call, after: elapsed, limit) }.value
        }
    }

    /// True when the link or the object has gone, false when the task was cancelled.
    private func loss(of call: GATTCall) async -> Bool {
        (try? await objects.wait { $0.carries(call, over: self) ? nil : true }) ?? false
    }

    /// A request without a response for so long ends the bearer (Core specification, Vol 3 Part F 3.3.3): BlueZ says
    /// ATT 0x0e first, and takes seconds to end the link.
    private static let transactionTimeout = Duration.seconds(30)

    private func translate(
        _ failure: DBusError, of call: GATTCall, after elapsed: Duration, _ limit: Duration
    ) async -> BluetoothError {
        let situation = await objects.situation(call.operation, limit, at: device)
        var linkIsUp = await objects.tree.isUp(link, to: device.path)
        if linkIsUp, BluetoothError.mayBeDroppedLink(failure) {
            let isUnanswered = elapsed >= Self.transactionTimeout
            let patience = isUnanswered ? objects.limits.disconnect : objects.limits.settle
            let isLost = await race(within: patience, on: objects.clock) { await loss(of: call) }
            if isLost == true { linkIsUp = false }
        }
        return BluetoothError(gatt: failure, linkIsUp: linkIsUp, situation)
    }
}

extension BlueZObjects {
    /// Makes one call over a link. Who comes first decides: the reply, the end of the link, the task's cancellation as
    /// it is heeded.
    ///
    /// - Throws: `cancelled` and `linkLost` before anything is sent, and what `find` throws.
    fileprivate func perform(
        _ operation: BluetoothError.Operation, over peripheral: BlueZPeripheral, within limit: Duration,
        _ heeding: Heeding, _ find: @Sendable (ObjectTree) throws(BluetoothError) -> GATTCall
    ) async throws(BluetoothError) -> (GATTCall, GATTEnd) {
        if heeding == .atOnce, Task.isCancelled { throw .cancelled }
        guard tree.isUp(peripheral.link, to: peripheral.device.path), connection != nil, let daemon else {
            throw .linkLost(during: operation)
        }
        let call = try find(tree)
        let message = MethodCall(call.member, of: call.interface, at: call.path, to: daemon, call.arguments)
        let identifier = nextIdentifier()
        let end = await withTaskCancellationHandler {
            await answer(to: message, identifier, call, over: peripheral, within: limit)
        } onCancel: {
            EventLoop.shared.async { [weak self] in self?.assumeIsolated { $0.heed(heeding, identifier) } }
        }
        return (call, end)
    }

    /// The caller's task was cancelled. A task of its own waits only where there was something to wait for.
    private func heed(_ heeding: Heeding, _ identifier: UInt64) {
        guard heeding == .patiently else { return cancelWaiter(identifier) }
        guard waiters[identifier] != nil else { return }
        Task { [clock, limits, weak self] in
            try? await clock.sleep(for: limits.cancelledExchange)
            await self?.cancelWaiter(identifier)
        }
    }

    private func answer(
        to message: MethodCall, _ identifier: UInt64, _ call: GATTCall, over peripheral: BlueZPeripheral,
        within limit: Duration
    ) async -> GATTEnd {
        guard let connection else { return .linkLost }
        return await withCheckedContinuation { continuation in
            let started = connection.assumeIsolated { connection in
                connection.start(message, deadline: limit) { [weak self] result in
                    self?.assumeIsolated { $0.finish(identifier, result, continuation) }
                }
            }
            guard case .success(let ticket) = started else {
                return continuation.resume(returning: .reply(started.map { _ in [] }))
            }
            let abandon = { @Sendable (end: GATTEnd) in
                connection.assumeIsolated { $0.abandon(ticket) }
                continuation.resume(returning: end)
            }
            waiters[identifier] = Waiter(
                check: { objects in
                    if objects.tree.carries(call, over: peripheral) { return false }
                    abandon(.linkLost)
                    return true
                }, cancel: { abandon(.cancelled) })
        }
    }

    private func finish(
        _ identifier: UInt64, _ result: Result<[DBusValue], DBusError>,
        _ continuation: CheckedContinuation<GATTEnd, Never>
    ) {
        guard waiters.removeValue(forKey: identifier) != nil else { return }
        continuation.resume(returning: .reply(result.mapError(Self.namingDaemonsEnd)))
    }
}

extension ObjectTree {
    /// Whether the link still stands, and the object of the call.
    fileprivate func carries(_ call: GATTCall, over peripheral: BlueZPeripheral) -> Bool {
        isUp(peripheral.link, to: peripheral.device.path)
            && (characteristics[call.path] != nil || descriptors[call.path] != nil)
    }
}

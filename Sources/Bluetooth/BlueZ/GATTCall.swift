import DBus

/// A call on a characteristic or descriptor, which fails at once when the link or the object goes.
struct GATTCall: Sendable {
    let operation: BluetoothError.Operation
    let member: String
    let interface: String
    let path: String
    let arguments: [DBusValue]
}

/// Makes a call from the objects as they are, once it is its turn.
struct GATTStep: Sendable {
    let operation: BluetoothError.Operation
    let call: @Sendable (ObjectTree) throws(BluetoothError) -> GATTCall

    init(
        _ operation: BluetoothError.Operation,
        _ call: @escaping @Sendable (ObjectTree) throws(BluetoothError) -> GATTCall
    ) {
        self.operation = operation
        self.call = call
    }
}

private enum GATTEnd: Sendable {
    case success([DBusValue])
    case failure(GATTCall, DBusError, after: Duration)
    /// No call was made of the step.
    case refused(BluetoothError)
    case linkLost(BluetoothError.Operation)
    case cancelled(BluetoothError.Operation)
}

/// When a call ends early whose task is cancelled.
enum Heeding {
    case atOnce
    /// What began is finished, unless that takes longer than ``BlueZLimits/cancelledExchange``.
    case patiently
}

extension BlueZPeripheral {
    /// One call after the other, as long as they succeed.
    ///
    /// - Parameter limit: of each.
    /// - Returns: what the last one answers.
    func perform(
        _ steps: GATTStep..., within limit: Duration, heeding: Heeding = .atOnce
    ) async throws(BluetoothError) -> [DBusValue] {
        switch try await objects.perform(steps[...], over: self, within: limit, heeding) {
        case .success(let values): return values
        case .failure(let call, let failure, let elapsed):
            // In a task of its own, because a cancelled one cannot wait for the link's end.
            throw await Task { await translate(failure, of: call, after: elapsed, limit) }.value
        case .refused(let error): throw error
        case .linkLost(let operation): throw .linkLost(during: operation)
        case .cancelled(let operation): throw heeding == .atOnce ? .cancelled : .abandoned(operation)
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
    /// Makes calls over a link. Who comes first decides: the replies, the end of the link, the task's cancellation as it
    /// is heeded.
    ///
    /// - Throws: `cancelled` before anything is sent.
    fileprivate func perform(
        _ steps: ArraySlice<GATTStep>, over peripheral: BlueZPeripheral, within limit: Duration, _ heeding: Heeding
    ) async throws(BluetoothError) -> GATTEnd {
        if heeding == .atOnce, Task.isCancelled { throw .cancelled }
        let identifier = nextIdentifier()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                make(steps, GATTCourse(identifier, over: peripheral, within: limit, continuation))
            }
        } onCancel: {
            EventLoop.shared.async { [weak self] in self?.assumeIsolated { $0.heed(heeding, identifier) } }
        }
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

    /// The next call is made where the reply of the one before arrives, without waiting for the task's turn.
    private func make(_ steps: ArraySlice<GATTStep>, _ course: GATTCourse) {
        guard let step = steps.first else { return course.end(.success([])) }
        guard tree.isUp(course.peripheral.link, to: course.peripheral.device.path), let connection, let daemon else {
            return course.end(.linkLost(step.operation))
        }
        let call: GATTCall
        do throws(BluetoothError) { call = try step.call(tree) } catch { return course.end(.refused(error)) }
        let time = Deadline(course.limit, on: clock)
        let message = MethodCall(call.member, of: call.interface, at: call.path, to: daemon, call.arguments)
        let started = connection.assumeIsolated { connection in
            connection.start(message, deadline: course.limit) { [weak self] result in
                self?.assumeIsolated { $0.goOn(with: steps.dropFirst(), course, result, of: call, after: time.elapsed) }
            }
        }
        switch started {
        case .success(let ticket): waiters[course.identifier] = course.waiter(for: call, ticket, on: connection)
        case .failure(let failure): course.end(.failure(call, failure, after: time.elapsed))
        }
    }

    private func goOn(
        with rest: ArraySlice<GATTStep>, _ course: GATTCourse, _ result: Result<[DBusValue], DBusError>,
        of call: GATTCall, after elapsed: Duration
    ) {
        guard waiters.removeValue(forKey: course.identifier) != nil else { return }
        switch result {
        case .success(let values): rest.isEmpty ? course.end(.success(values)) : make(rest, course)
        case .failure(let failure): course.end(.failure(call, Self.namingDaemonsEnd(failure), after: elapsed))
        }
    }
}

/// Calls under way, of which one waits for its reply.
private struct GATTCourse: Sendable {
    let identifier: UInt64
    let peripheral: BlueZPeripheral
    /// Of each call.
    let limit: Duration
    private let continuation: CheckedContinuation<GATTEnd, Never>

    init(
        _ identifier: UInt64, over peripheral: BlueZPeripheral, within limit: Duration,
        _ continuation: CheckedContinuation<GATTEnd, Never>
    ) {
        self.identifier = identifier
        self.peripheral = peripheral
        self.limit = limit
        self.continuation = continuation
    }

    func end(_ end: GATTEnd) { continuation.resume(returning: end) }

    func waiter(for call: GATTCall, _ ticket: CallTicket, on connection: BusConnection) -> BlueZObjects.Waiter {
        let abandon = { @Sendable (end: GATTEnd) in
            connection.assumeIsolated { $0.abandon(ticket) }
            self.end(end)
        }
        return BlueZObjects.Waiter(
            check: { objects in
                if objects.tree.carries(call, over: peripheral) { return false }
                abandon(.linkLost(call.operation))
                return true
            }, cancel: { abandon(.cancelled(call.operation)) })
    }
}

extension ObjectTree {
    /// Whether the link still stands, and the object of the call.
    fileprivate func carries(_ call: GATTCall, over peripheral: BlueZPeripheral) -> Bool {
        isUp(peripheral.link, to: peripheral.device.path)
            && (characteristics[call.path] != nil || descriptors[call.path] != nil)
    }
}

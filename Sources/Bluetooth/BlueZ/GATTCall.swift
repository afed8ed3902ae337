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

/// When a call ends early whose task is cancelled.
enum Heeding {
    case atOnce
    /// What began is finished, unless that takes longer than ``BlueZLimits/cancelledExchange``.
    case patiently
}

extension BlueZPeripheral {
    /// - Parameter limit: of each step.
    /// - Returns: what the last one answers.
    /// - Throws: what the first one fails with that does not succeed.
    func perform(
        _ steps: GATTStep..., in order: GATTOrder = .sequence, within limit: Duration, heeding: Heeding = .atOnce
    ) async throws(BluetoothError) -> [DBusValue] {
        switch try await objects.perform(steps[...], in: order, over: self, within: limit, heeding) {
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
        _ steps: ArraySlice<GATTStep>, in order: GATTOrder, over peripheral: BlueZPeripheral, within limit: Duration,
        _ heeding: Heeding
    ) async throws(BluetoothError) -> GATTEnd {
        if hasGivenUp || heeding == .atOnce && Task.isCancelled { throw .cancelled }
        let identifier = nextIdentifier()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                make(steps, GATTCourse(identifier, order, over: peripheral, within: limit, continuation))
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

    /// In a sequence the next call is made where the reply of the one before arrives, without waiting for the task's turn.
    private func make(_ steps: ArraySlice<GATTStep>, _ course: GATTCourse) {
        switch course.order {
        case .sequence: if let step = steps.first { begin(step, before: steps.dropFirst(), course) }
        case .overlapping: for step in steps { begin(step, before: [], course) }
        }
        if course.isOver {
            course.end()
        } else {
            waiters[course.identifier] = course.waiter
        }
    }

    private func begin(_ step: GATTStep, before rest: ArraySlice<GATTStep>, _ course: GATTCourse) {
        guard course.failure == nil else { return }
        guard tree.isUp(course.peripheral.link, to: course.peripheral.device.path), let connection, let daemon else {
            return course.fail(.linkLost(step.operation))
        }
        let call: GATTCall
        do throws(BluetoothError) { call = try step.call(tree) } catch { return course.fail(.refused(error)) }
        let time = Deadline(course.limit, on: clock)
        let message = MethodCall(call.member, of: call.interface, at: call.path, to: daemon, call.arguments)
        let number = course.nextNumber()
        let started = connection.assumeIsolated { connection in
            connection.start(message, deadline: course.limit) { [weak self] result in
                let result = result.mapError { GATTEnd.failure(call, Self.namingDaemonsEnd($0), after: time.elapsed) }
                self?.assumeIsolated { $0.goOn(with: rest, course, number, result) }
            }
        }
        switch started {
        case .success(let ticket): course.expect(number, call, ticket, on: connection)
        case .failure(let failure): course.fail(.failure(call, failure, after: time.elapsed))
        }
    }

    private func goOn(
        with rest: ArraySlice<GATTStep>, _ course: GATTCourse, _ number: Int, _ result: Result<[DBusValue], GATTEnd>
    ) {
        guard waiters[course.identifier] != nil else { return }
        course.take(number, result)
        guard course.isOver else { return }
        waiters[course.identifier] = nil
        if course.failure == nil, !rest.isEmpty { make(rest, course) } else { course.end() }
    }
}

extension ObjectTree {
    /// Whether the link still stands, and the object of the call.
    func carries(_ call: GATTCall, over peripheral: BlueZPeripheral) -> Bool {
        isUp(peripheral.link, to: peripheral.device.path)
            && (characteristics[call.path] != nil || descriptors[call.path] != nil)
    }
}

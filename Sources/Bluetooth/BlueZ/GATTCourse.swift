import DBus

/// When a step of several is taken.
enum GATTOrder {
    /// Once the one before has succeeded.
    case sequence
    /// With the first, and its answer counts once all have ended: none is left for a later call of its kind.
    case overlapping
}

enum GATTEnd: Error {
    case success([DBusValue])
    case failure(GATTCall, DBusError, after: Duration)
    /// No call was made of the step.
    case refused(BluetoothError)
    case linkLost(BluetoothError.Operation)
    case cancelled(BluetoothError.Operation)
}

/// One or more calls over a link, for which one task waits.
///
/// Unchecked `Sendable`: what changes is touched on the event loop alone, where the closures run that hold it.
final class GATTCourse: @unchecked Sendable {
    let identifier: UInt64
    let order: GATTOrder
    let peripheral: BlueZPeripheral
    /// Of each call.
    let limit: Duration
    private(set) var failure: GATTEnd?
    private let continuation: CheckedContinuation<GATTEnd, Never>
    private var lastNumber = 0
    private var awaited: [(number: Int, call: GATTCall, abandon: () -> Void)] = []
    /// Of the last call.
    private var values: [DBusValue] = []

    init(
        _ identifier: UInt64, _ order: GATTOrder, over peripheral: BlueZPeripheral, within limit: Duration,
        _ continuation: CheckedContinuation<GATTEnd, Never>
    ) {
        self.identifier = identifier
        self.order = order
        self.peripheral = peripheral
        self.limit = limit
        self.continuation = continuation
    }

    /// Whether no reply is waited for.
    var isOver: Bool { awaited.isEmpty }

    func nextNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }

    func expect(_ number: Int, _ call: GATTCall, _ ticket: CallTicket, on connection: BusConnection) {
        awaited.append((number, call, { connection.assumeIsolated { $0.abandon(ticket) } }))
    }

    func take(_ number: Int, _ result: Result<[DBusValue], GATTEnd>) {
        awaited.removeAll { $0.number == number }
        switch result {
        case .success(let values): if number == lastNumber { self.values = values }
        case .failure(let failure): fail(failure)
        }
    }

    /// The first failure counts.
    func fail(_ end: GATTEnd) { failure = failure ?? end }

    func end() { continuation.resume(returning: failure ?? .success(values)) }

    /// Ends it early, with the link or with its task.
    var waiter: BlueZObjects.Waiter {
        BlueZObjects.Waiter(
            check: { [self] objects in
                guard let lost = awaited.first(where: { !objects.tree.carries($0.call, over: peripheral) }) else {
                    return false
                }
                abandon(.linkLost(lost.call.operation))
                return true
            },
            cancel: { [self] in if let first = awaited.first { abandon(.cancelled(first.call.operation)) } })
    }

    private func abandon(_ end: GATTEnd) {
        for call in awaited { call.abandon() }
        awaited = []
        fail(end)
        self.end()
    }
}

import Synchronization

/// What was written, on its way to outliving a power cut: who wrote it goes on meanwhile, and who relies on it waits.
final class Settlement: Sendable {
    private typealias Waiting = CheckedContinuation<OrderedWrites.Outcome, Never>

    private enum State {
        case underWay([Waiting])
        case over(OrderedWrites.Outcome)
    }

    private let state = Mutex(State.underWay([]))
    private let giveUp: @Sendable () -> Void

    /// - Parameter giveUp: has it end as soon as it can, with less.
    init(giveUp: @escaping @Sendable () -> Void) { self.giveUp = giveUp }

    func end(_ outcome: OrderedWrites.Outcome) {
        let waiting = state.withLock { state -> [Waiting] in
            guard case .underWay(let waiting) = state else { return [] }
            state = .over(outcome)
            return waiting
        }
        for one in waiting { one.resume(returning: outcome) }
    }

    /// Where the task is cancelled it is given up for everybody: a slow disk would hold the command for one sync after
    /// another that nobody relies on.
    ///
    /// - Throws: `localState` with the first failure of writing, or `cancelled` where it was given up: what came before in
    ///   the order is there.
    func wait() async throws(CatalogueError) {
        try await withTaskCancellationHandler(operation: { await outcome() }, onCancel: giveUp).get()
    }

    /// Waits whether the task is cancelled or not.
    ///
    /// - Throws: as ``wait()``.
    func waitWhatever() async throws(CatalogueError) { try await outcome().get() }

    private func outcome() async -> OrderedWrites.Outcome {
        await withCheckedContinuation { (continuation: Waiting) in
            let outcome = state.withLock { state -> OrderedWrites.Outcome? in
                switch state {
                case .over(let outcome): return outcome
                case .underWay(let waiting):
                    state = .underWay(waiting + [continuation])
                    return nil
                }
            }
            if let outcome { continuation.resume(returning: outcome) }
        }
    }
}

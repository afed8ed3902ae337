import Synchronization

/// What was written, on its way to outliving a power cut: who wrote it goes on meanwhile, and who relies on it waits.
final class Settlement: Sendable {
    private typealias Waiting = CheckedContinuation<OrderedWrites.Outcome, Never>

    private enum State {
        case underWay([Waiting])
        case over(OrderedWrites.Outcome)
    }

    private let state = Mutex(State.underWay([]))

    func end(_ outcome: OrderedWrites.Outcome) {
        let waiting = state.withLock { state -> [Waiting] in
            guard case .underWay(let waiting) = state else { return [] }
            state = .over(outcome)
            return waiting
        }
        for one in waiting { one.resume(returning: outcome) }
    }

    /// - Throws: `localState` with the first failure of writing: what came before it in the order is there.
    func wait() async throws(CatalogueError) {
        let outcome = await withCheckedContinuation { (continuation: Waiting) in
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
        do { try outcome.get() } catch { throw .localState(error) }
    }
}

import Synchronization

/// The first of several results, awaited once. A success that comes too late is disposed of.
final class FirstResult<Success: Sendable>: Sendable {
    private enum State {
        case open
        case awaited(CheckedContinuation<Result<Success, DBusError>, Never>)
        case settled(Result<Success, DBusError>)
        case done
    }

    private let state = Mutex(State.open)
    private let dispose: @Sendable (Success) -> Void

    init(dispose: @escaping @Sendable (Success) -> Void) { self.dispose = dispose }

    func settle(_ result: Result<Success, DBusError>) {
        let (waiter, isLate) = state.withLock {
            state -> (CheckedContinuation<Result<Success, DBusError>, Never>?, Bool) in
            switch state {
            case .open:
                state = .settled(result)
                return (nil, false)
            case .awaited(let waiter):
                state = .done
                return (waiter, false)
            case .settled, .done: return (nil, true)
            }
        }
        waiter?.resume(returning: result)
        if isLate, case .success(let value) = result { dispose(value) }
    }

    var value: Result<Success, DBusError> {
        get async {
            await withCheckedContinuation { continuation in
                let settled = state.withLock { state -> Result<Success, DBusError>? in
                    guard case .settled(let result) = state else {
                        state = .awaited(continuation)
                        return nil
                    }
                    state = .done
                    return result
                }
                if let settled { continuation.resume(returning: settled) }
            }
        }
    }
}

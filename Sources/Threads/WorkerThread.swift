import Dispatch
import Synchronization

/// A thread that does what it is handed, one after another: bodies, and what tasks do that prefer it. It ends with the last
/// reference to this value.
///
/// A task that prefers the thread which does its waiting goes on there, without a change of threads. What a body waits for,
/// such a task waits for too.
package final class WorkerThread: TaskExecutor {
    private let inbox = Inbox()

    /// - Parameter first: what it does before anything else.
    /// - Returns: `nil` where the system has no thread left.
    package init?(first: @escaping @Sendable () -> Void = {}) {
        let isStarted = DetachedThread.start(signals: .blocked) { [inbox] in
            first()
            while true {
                switch inbox.take() {
                case .body(let body): body()
                case .job(let job, let executor): job.runSynchronously(on: executor.asUnownedTaskExecutor())
                case .end: return
                }
            }
        }
        guard isStarted else { return nil }
    }

    deinit { inbox.put(.end) }

    package func run(_ body: @escaping @Sendable () -> Void) { inbox.put(.body(body)) }

    package func enqueue(_ job: consuming ExecutorJob) { inbox.put(.job(UnownedJob(job), self)) }

    private enum Order {
        case body(@Sendable () -> Void)
        /// With what it is to be run on, which it keeps.
        case job(UnownedJob, WorkerThread)
        case end
    }

    private final class Inbox: Sendable {
        private let orders = Mutex<[Order]>([])
        private let count = DispatchSemaphore(value: 0)

        func put(_ order: Order) {
            orders.withLock { $0.append(order) }
            count.signal()
        }

        func take() -> Order {
            count.wait()
            return orders.withLock { $0.isEmpty ? .end : $0.removeFirst() }
        }
    }
}

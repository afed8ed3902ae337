import Dispatch
import Glibc
import Synchronization
import Threads

/// A thread with handles of its own, for transfers one after another: a transfer waits, and the threads of Swift's
/// concurrency must not. It ends with this value.
///
/// The first thing that it does is to load libcurl, which takes about as long as the rest of a process's start: whoever
/// made it has time for something else until then.
final class TransferThread: Sendable {
    typealias Work = @Sendable (CurlHandles?) -> Void

    private let inbox = Inbox()

    /// `nil` where the system has no thread left.
    init?() {
        let isStarted = DetachedThread.start(signals: .blocked) { [inbox] in
            let handles = CurlHandles()
            while case .work(let work) = inbox.take() { work(handles) }
        }
        guard isStarted else { return nil }
    }

    deinit { inbox.put(.end) }

    /// - Parameter work: is given the thread's handles, and none where libcurl is not there or has not the memory.
    func run(_ work: @escaping Work) { inbox.put(.work(work)) }

    private enum Order {
        case work(Work)
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

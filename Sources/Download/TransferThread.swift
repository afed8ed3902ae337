import Synchronization
import Threads

/// A thread with handles of its own, for transfers one after another: a transfer waits, and the threads of Swift's
/// concurrency must not. It ends with this value.
final class TransferThread: Sendable {
    let worker: WorkerThread
    private let handles = Handles()

    /// - Parameter loadsLibrary: whether the first thing that it does is to load libcurl. That takes about as long as the
    ///   rest of a process's start: whoever made it has time for something else until then.
    /// - Returns: `nil` where the system has no thread left.
    init?(loadsLibrary: Bool = true) {
        let first = { @Sendable [handles] in
            if loadsLibrary { handles.keep(CurlHandles()) }
        }
        guard let worker = WorkerThread(first: first) else { return nil }
        self.worker = worker
    }

    /// - Parameters:
    ///   - transfer: is given the thread's handles, and none where libcurl is not there or has not the memory. After a
    ///     failure that leaves the connection in doubt the next one gets others.
    ///   - completion: is called on the thread.
    func run(
        _ transfer: @escaping @Sendable (CurlHandles?) -> Result<Void, DownloadError>,
        completion: @escaping @Sendable (Result<Void, DownloadError>) -> Void
    ) {
        worker.run { [handles] in
            let used = handles.take() ?? CurlHandles()
            let result = transfer(used)
            if result.leavesConnectionSound { handles.keep(used) }
            completion(result)
        }
    }

    /// Between two transfers.
    private final class Handles: Sendable {
        private let kept = Mutex<CurlHandles?>(nil)

        func keep(_ handles: CurlHandles?) { kept.withLock { $0 = handles } }

        func take() -> CurlHandles? { kept.withLock { $0.take() } }
    }
}

extension Result<Void, DownloadError> {
    fileprivate var leavesConnectionSound: Bool {
        switch self {
        case .success, .failure(.httpStatus): true
        case .failure: false
        }
    }
}

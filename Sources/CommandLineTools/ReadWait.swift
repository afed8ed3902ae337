import Dispatch
import Synchronization

/// Returns once a read of a terminal, pipe or socket would not block; false where the task is cancelled first.
///
/// Holds no thread and looks at no clock. Not for regular files: they have no such event (epoll(7)).
public func waitUntilReadable(_ descriptor: Int32) async -> Bool {
    let wait = ReadWait()
    return await withTaskCancellationHandler {
        await withCheckedContinuation { wait.begin(on: descriptor, $0) }
    } onCancel: {
        wait.end(isReadable: false)
    }
}

private final class ReadWait: Sendable {
    // A dispatch source is not marked Sendable; this one is only cancelled, which any thread may do.
    private struct State: @unchecked Sendable {
        var source: (any DispatchSourceRead)?
        var isReadable: Bool?
    }

    private static let queue = DispatchQueue(label: "read-wait")
    private let state = Mutex(State())

    func begin(on descriptor: Int32, _ continuation: CheckedContinuation<Bool, Never>) {
        let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: Self.queue)
        source.setEventHandler { self.end(isReadable: true) }
        // Only now has the source let go of the descriptor, so that the caller may close it.
        source.setCancelHandler { continuation.resume(returning: self.state.withLock { $0.isReadable ?? false }) }
        let hasEnded = state.withLock { state in
            state.source = source
            return state.isReadable != nil
        }
        source.resume()
        if hasEnded { source.cancel() }
    }

    func end(isReadable: Bool) {
        let source = state.withLock { state -> (any DispatchSourceRead)? in
            guard state.isReadable == nil else { return nil }
            state.isReadable = isReadable
            return state.source
        }
        source?.cancel()
    }
}

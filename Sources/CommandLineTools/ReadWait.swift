import Glibc
import ProcessShim
import Synchronization
import Threads

/// Returns once a read of a terminal, pipe or socket would not block; false where the task is cancelled first.
///
/// Holds a thread meanwhile, and looks at no clock. Not a source of libdispatch: its manager thread crashes now and then where
/// a source is cancelled that had a hang-up to tell (seen with Swift 6.3, one of a hundred ends of a pipe on a busy machine).
public func waitUntilReadable(_ descriptor: Int32) async -> Bool {
    let wait = ReadWait()
    return await withTaskCancellationHandler {
        await withCheckedContinuation { continuation in
            DetachedThread.startOrBorrow(signals: .blocked) {
                continuation.resume(returning: wait.run(on: descriptor))
            }
        }
    } onCancel: {
        wait.cancel()
    }
}

private final class ReadWait: Sendable {
    /// An eventfd, -1 where the process has no descriptor left for it.
    private let waker = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
    private let isCancelled = Atomic(false)
    /// Milliseconds between looks at whether it was cancelled, where nothing can wake the thread.
    private static let unwakenedWait: Int32 = 10

    deinit { if waker >= 0 { close(waker) } }

    func run(on descriptor: Int32) -> Bool {
        var entries = [
            pollfd(fd: waker, events: Int16(POLLIN), revents: 0),
            pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
        ]
        while !isCancelled.load(ordering: .relaxed) {
            let ready = poll(&entries, nfds_t(entries.count), waker < 0 ? Self.unwakenedWait : -1)
            // An end and an error are there to be read too.
            if ready > 0, entries[1].revents != 0 { return !isCancelled.load(ordering: .relaxed) }
            if ready < 0, errno != EINTR, errno != EAGAIN { return true }
        }
        return false
    }

    func cancel() {
        isCancelled.store(true, ordering: .relaxed)
        if waker >= 0 { eventfd_write(waker, 1) }
    }
}

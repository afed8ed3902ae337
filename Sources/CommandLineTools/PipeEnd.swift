import Glibc
import Synchronization
import Threads

/// Whether somebody still reads the other end of a pipe, a socket or a terminal.
final class PipeEnd: Sendable {
    private let descriptor: Int32
    private let closed = Atomic(false)

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    var isClosed: Bool { closed.load(ordering: .relaxed) }

    func close() { closed.store(true, ordering: .relaxed) }

    /// Calls `action` once nobody reads there, on a thread of its own, which waits for that until the process ends.
    func watch(_ action: @escaping @Sendable () -> Void) {
        guard hasReader else { return }
        _ = DetachedThread.start(signals: .blocked) { [self] in
            // An error and a hang-up are told whether or not they are asked for.
            var end = pollfd(fd: descriptor, events: 0, revents: 0)
            while poll(&end, 1, -1) < 0, errno == EINTR {}
            guard end.revents & Int16(POLLERR | POLLHUP) != 0 else { return }
            close()
            action()
        }
    }

    private var hasReader: Bool {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return false }
        // A terminal that is not the controlling one goes away without a SIGHUP.
        return [S_IFIFO, S_IFSOCK].contains(status.st_mode & S_IFMT) || isatty(descriptor) != 0
    }
}

import CDBus
import Dispatch
import Glibc

/// What libdbus wants to know of a descriptor, asked of dispatch.
///
/// Made, used and ended on one queue. Turning it off and on costs no descriptor, so that it cannot fail.
final class Watch {
    private let source: any DispatchSourceProtocol
    private var isEnabled = false

    /// Nil when the process has no descriptor left. Starts disabled.
    ///
    /// The descriptor is duplicated, because libdbus closes its own before the source is done with it.
    init?(_ watch: OpaquePointer, queue: DispatchQueue, onReady: @escaping @Sendable () -> Void) {
        let descriptor = fcntl(dbus_watch_get_unix_fd(watch), F_DUPFD_CLOEXEC, 0)
        guard descriptor >= 0 else { return nil }
        source =
            Watch.isWriting(watch)
            ? DispatchSource.makeWriteSource(fileDescriptor: descriptor, queue: queue)
            : DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        source.setEventHandler(handler: onReady)
        source.setCancelHandler { close(descriptor) }
    }

    static func isWriting(_ watch: OpaquePointer) -> Bool {
        dbus_watch_get_flags(watch) & DBUS_WATCH_WRITABLE.rawValue != 0
    }

    func setEnabled(_ enabled: Bool) {
        guard enabled != isEnabled else { return }
        isEnabled = enabled
        if enabled { source.resume() } else { source.suspend() }
    }

    /// The handler is not called again. A suspended source would never get to its cancel handler.
    func cancel() {
        source.cancel()
        setEnabled(true)
    }
}

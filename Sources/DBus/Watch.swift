import CDBus
import Glibc

/// What libdbus wants to know of a descriptor, asked of the event loop. Made, used and ended there.
final class Watch {
    private let watch: UInt64
    private var isEnabled = false

    /// Starts disabled.
    ///
    /// - Parameter onReady: is called with `DBUS_WATCH_*`.
    init(_ raw: OpaquePointer, onReady: @escaping @Sendable (UInt32) -> Void) {
        let isWriting = dbus_watch_get_flags(raw) & DBUS_WATCH_WRITABLE.rawValue != 0
        watch = EventLoop.shared.add(dbus_watch_get_unix_fd(raw), events: isWriting ? POLLOUT : POLLIN) { events in
            onReady(Self.conditions(events))
        }
    }

    private static func conditions(_ events: Int16) -> UInt32 {
        let all = [
            (POLLIN, DBUS_WATCH_READABLE), (POLLOUT, DBUS_WATCH_WRITABLE), (POLLHUP, DBUS_WATCH_HANGUP),
            (POLLERR, DBUS_WATCH_ERROR), (POLLNVAL, DBUS_WATCH_ERROR),
        ]
        return all.reduce(0) { $0 | (Int32(events) & $1.0 != 0 ? $1.1.rawValue : 0) }
    }

    func setEnabled(_ enabled: Bool) {
        guard enabled != isEnabled else { return }
        isEnabled = enabled
        EventLoop.shared.want(watch, enabled)
    }

    deinit { EventLoop.shared.remove(watch) }
}

import CDBus

/// Drives one libdbus connection from the event loop: its watches are waited for there, and what it received is
/// given to `receive`, message by message in the order of arrival. Only `org.freedesktop.DBus.Peer` is answered by
/// libdbus itself, before that.
///
/// Not `Sendable`: it is made, used and ended on the event loop. libdbus' timeouts are not wanted: it sets them for pending
/// calls, of which it is given none.
final class ConnectionLoop {
    typealias Receiver = (ReceivedMessage) -> Void

    /// After so many messages the event loop's other work gets its turn.
    private static let messagesPerTurn = 64

    private let raw: OpaquePointer
    private let receive: Receiver
    private var watches: [OpaquePointer: Watch] = [:]
    private var isDispatchScheduled = false
    private var isClosed = false

    init(_ connection: OpenedConnection, receive: @escaping Receiver) {
        self.raw = connection.raw
        self.receive = receive
    }

    /// Begins to read; nothing is received before.
    func start() throws(DBusError) {
        let me = Unmanaged.passUnretained(self).toOpaque()
        let isFiltering = dbus_connection_add_filter(
            raw,
            { _, message, me in
                guard let message, let loop = ConnectionLoop.from(me), !loop.isClosed else {
                    return DBUS_HANDLER_RESULT_NOT_YET_HANDLED
                }
                loop.receive(ReceivedMessage(borrowing: message))
                return DBUS_HANDLER_RESULT_HANDLED
            }, me, nil)
        dbus_connection_set_dispatch_status_function(
            raw,
            { _, status, me in
                if status != DBUS_DISPATCH_COMPLETE { ConnectionLoop.from(me)?.scheduleDispatch() }
            }, me, nil)
        let isWatching = dbus_connection_set_watch_functions(
            raw,
            { watch, me in
                guard let watch, let loop = ConnectionLoop.from(me) else { return 0 }
                loop.add(watch)
                return 1
            },
            { watch, me in if let watch { ConnectionLoop.from(me)?.remove(watch) } },
            { watch, me in if let watch { ConnectionLoop.from(me)?.toggle(watch) } }, me, nil)
        guard isFiltering != 0, isWatching != 0 else {
            close()
            throw .outOfMemory
        }
        scheduleDispatch()
    }

    private static func from(_ me: UnsafeMutableRawPointer?) -> ConnectionLoop? {
        me.map { Unmanaged<ConnectionLoop>.fromOpaque($0).takeUnretainedValue() }
    }

    /// - Returns: the serial that a reply will name.
    func send(_ message: borrowing RawMessage) throws(DBusError) -> UInt32 {
        guard !isClosed, dbus_connection_get_is_connected(raw) != 0 else { throw .disconnected }
        guard !message.hasDescriptors || dbus_connection_can_send_type(raw, BasicType.fileDescriptor.code) != 0 else {
            throw .invalidMessage("this bus carries no descriptors")
        }
        var serial: UInt32 = 0
        guard dbus_connection_send(raw, message.pointer, &serial) != 0 else { throw .outOfMemory }
        return serial
    }

    /// Ends the connection and lets go of its sources.
    func close() {
        guard !isClosed else { return }
        isClosed = true
        dbus_connection_set_dispatch_status_function(raw, nil, nil, nil)
        dbus_connection_close(raw)
        dbus_connection_set_watch_functions(raw, nil, nil, nil, nil, nil)
    }

    deinit {
        close()
        dbus_connection_unref(raw)
    }

    // MARK: Watches

    private func add(_ watch: OpaquePointer) {
        let bound = LoopBound(loop: self, pointer: watch)
        watches[watch] = Watch(watch) { conditions in
            dbus_watch_handle(bound.pointer, conditions)
            bound.loop.scheduleDispatch()
        }
        toggle(watch)
    }

    private func toggle(_ watch: OpaquePointer) {
        watches[watch]?.setEnabled(dbus_watch_get_enabled(watch) != 0)
    }

    private func remove(_ watch: OpaquePointer) { watches[watch] = nil }

    // MARK: Dispatching

    private func scheduleDispatch() {
        guard !isDispatchScheduled, !isClosed else { return }
        isDispatchScheduled = true
        let bound = LoopBound(loop: self, pointer: raw)
        EventLoop.shared.async { bound.loop.dispatch() }
    }

    private func dispatch() {
        isDispatchScheduled = false
        for _ in 0..<ConnectionLoop.messagesPerTurn {
            guard !isClosed, dbus_connection_dispatch(raw) == DBUS_DISPATCH_DATA_REMAINS else { return }
        }
        scheduleDispatch()
    }
}

/// Carries what is confined to the event loop into a handler that runs there too, hence the unchecked conformance.
private struct LoopBound: @unchecked Sendable {
    let loop: ConnectionLoop
    let pointer: OpaquePointer
}

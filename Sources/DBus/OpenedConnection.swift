import CDBus
import DBusShim
import Glibc
import Threads

/// A private connection that the bus has said hello to, not driven by anything yet.
///
/// Sendable because it is handed on once, from the thread that opened it to the one that drives it, and libdbus
/// locks what the two might share.
struct OpenedConnection: @unchecked Sendable {
    let raw: OpaquePointer
    let uniqueName: String

    /// Opens on a thread of its own, for connecting and authenticating block.
    static func open(
        _ address: String, deadline: Duration, clock: any Clock<Duration>
    ) async throws(DBusError) -> OpenedConnection {
        if let number = EventLoop.shared.fault { throw .tooManyOpenFiles(errno: number) }
        let race = FirstResult<OpenedConnection> { $0.close() }
        let timer = Task {
            try await clock.sleep(for: min(deadline, DBusLimits.longestDeadline))
            race.settle(.failure(.deadline(deadline)))
        }
        defer { timer.cancel() }
        DetachedThread.startOrBorrow {
            race.settle(Result { () throws(DBusError) in try blockingOpen(address, deadline) })
        }
        return try await withTaskCancellationHandler {
            await race.value
        } onCancel: {
            race.settle(.failure(.cancelled))
        }.get()
    }

    private func close() {
        dbus_connection_close(raw)
        dbus_connection_unref(raw)
    }

    private static func blockingOpen(_ address: String, _ deadline: Duration) throws(DBusError) -> OpenedConnection {
        if let fault = dbus_shim_load_fault() {
            try checkDescriptors()
            throw .libraryUnusable(reason: String(cString: fault))
        }
        guard LibDBus.hasThreads else { throw .outOfMemory }
        guard !address.holdsNUL else { throw .connectionFailed(address: address, reason: "NUL in the address") }
        var error = ErrorSlot()
        guard let raw = dbus_connection_open_private(address, &error.content) else {
            try checkDescriptors()
            throw error.isRefusal
                ? .connectionRefused(address: address, reason: error.message)
                : .connectionFailed(address: address, reason: error.message)
        }
        dbus_connection_set_exit_on_disconnect(raw, 0)
        dbus_connection_set_max_message_size(raw, DBusLimits.receivedMessageLength)
        dbus_connection_set_max_message_unix_fds(raw, DBusLimits.descriptors)
        do throws(DBusError) {
            return OpenedConnection(raw: raw, uniqueName: try hello(raw, address, deadline))
        } catch {
            dbus_connection_close(raw)
            dbus_connection_unref(raw)
            throw error
        }
    }

    /// What failed for want of a descriptor says so in words alone: here it is asked whether there is one.
    private static func checkDescriptors() throws(DBusError) {
        let descriptor = eventfd(0, Int32(EFD_CLOEXEC))
        guard descriptor >= 0 else { throw .tooManyOpenFiles(errno: errno) }
        Glibc.close(descriptor)
    }

    /// `Hello`, as `dbus_bus_register` says it, but with a deadline.
    private static func hello(
        _ raw: OpaquePointer, _ address: String, _ deadline: Duration
    ) throws(DBusError) -> String {
        let call = try RawMessage.call(MessageBus.call("Hello", []))
        var error = ErrorSlot()
        let reply = dbus_connection_send_with_reply_and_block(
            raw, call.pointer, deadline.libdbusMilliseconds, &error.content)
        guard let reply else {
            // A bus says no to a user by ending the connection, in the authentication or right after.
            let isEnded = dbus_connection_get_is_connected(raw) == 0
            guard isEnded || error.name != DBUS_ERROR_NO_REPLY else { throw .deadline(deadline) }
            throw isEnded || error.isRefusal
                ? .connectionRefused(address: address, reason: error.message)
                : .connectionFailed(address: address, reason: error.message)
        }
        defer { dbus_message_unref(reply) }
        let values = try ReceivedMessage(borrowing: reply).result()
        guard case .string(let name)? = values.only else { throw .unexpectedReply(signature: "s") }
        guard dbus_bus_set_unique_name(raw, name) != 0 else { throw .outOfMemory }
        return name
    }
}

enum LibDBus {
    /// Once for the process.
    static let hasThreads = dbus_threads_init_default() != 0
}

/// A `DBusError` of libdbus, freed with the value.
private struct ErrorSlot: ~Copyable {
    var content = CDBus.DBusError()

    init() { dbus_error_init(&content) }

    deinit {
        var content = content
        dbus_error_free(&content)
    }

    var message: String { content.message.map { String(cString: $0) } ?? "" }

    var name: String { content.name.map { String(cString: $0) } ?? "" }

    var isRefusal: Bool { name == DBUS_ERROR_ACCESS_DENIED || name == DBUS_ERROR_AUTH_FAILED }
}

extension Duration {
    /// Whole milliseconds, rounded up, within what libdbus takes for a finite timeout.
    fileprivate var libdbusMilliseconds: Int32 {
        let (seconds, attoseconds) = components
        guard seconds < Int64(Int32.max) / 1000 else { return Int32.max - 1 }
        return Int32(clamping: max(0, seconds * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000))
    }
}

import CDBus

@testable import DBus

/// Messages as bytes, by libdbus, without a bus.
enum Wire {
    static func bytes(_ arguments: [DBusValue]) throws -> [UInt8] {
        try bytes(try RawMessage.signal(Signal("M", of: "a.b", at: "/", arguments)))
    }

    static func bytes(_ message: consuming RawMessage) throws -> [UInt8] {
        dbus_message_set_serial(message.pointer, 1)
        var start: UnsafeMutablePointer<CChar>?
        var count: Int32 = 0
        guard dbus_message_marshal(message.pointer, &start, &count) != 0, let start else { throw DBusError.outOfMemory }
        defer { dbus_free(start) }
        return UnsafeBufferPointer(start: start, count: Int(count)).map(UInt8.init(bitPattern:))
    }

    /// Nil when libdbus refuses the bytes.
    static func received(_ bytes: [UInt8]) throws -> [DBusValue]? {
        var error = CDBus.DBusError()
        dbus_error_init(&error)
        defer { dbus_error_free(&error) }
        let message = bytes.map(CChar.init(bitPattern:)).withUnsafeBufferPointer {
            dbus_message_demarshal($0.baseAddress, Int32($0.count), &error)
        }
        guard let message else { return nil }
        defer { dbus_message_unref(message) }
        return try ReceivedMessage(borrowing: message).arguments()
    }

    /// What the header says of the length of the body (D-Bus specification, "Message Format").
    static func bodyLength(_ bytes: [UInt8]) -> Int {
        bytes[4..<8].reversed().reduce(0) { $0 << 8 | Int($1) }
    }
}

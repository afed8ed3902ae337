import CDBus
import Glibc

/// Names as libdbus judges them. libdbus ends the process on an invalid one, so each is judged here first.
enum DBusName {
    case bus, interface, member, error, objectPath, signature

    func check(_ text: String) throws(DBusError) {
        guard isValid(text) else { throw .invalidMessage("invalid \(self): \(text.debugDescription)") }
    }

    private func isValid(_ text: String) -> Bool {
        // libdbus would see the name end at the NUL.
        guard !text.holdsNUL else { return false }
        let valid =
            switch self {
            case .bus: dbus_validate_bus_name(text, nil)
            case .interface: dbus_validate_interface(text, nil)
            case .member: dbus_validate_member(text, nil)
            case .error: dbus_validate_error_name(text, nil)
            case .objectPath: dbus_validate_path(text, nil)
            case .signature: dbus_signature_validate(text, nil)
            }
        return valid != 0
    }

    /// What `DBUS_INTERFACE_LOCAL` and `DBUS_PATH_LOCAL` reserve: the bus ends the connection of who sends them.
    static func checkNotLocal(path: String, interface: String) throws(DBusError) {
        guard path != DBUS_PATH_LOCAL, interface != DBUS_INTERFACE_LOCAL else {
            throw .invalidMessage("reserved: \(path) \(interface)")
        }
    }
}

/// Interfaces, paths and names of the bus itself (D-Bus specification, "Message Bus Specification").
enum MessageBus {
    static let name = DBUS_SERVICE_DBUS
    static let path = DBUS_PATH_DBUS
    static let interface = DBUS_INTERFACE_DBUS

    static func call(_ member: String, _ arguments: [DBusValue]) -> MethodCall {
        MethodCall(member, of: interface, at: path, to: name, arguments)
    }
}

extension String {
    /// Where C would see the text end too soon. Asked of every text of every message, hence by `memchr`.
    var holdsNUL: Bool {
        utf8.withContiguousStorageIfAvailable { bytes in
            bytes.baseAddress.map { memchr($0, 0, bytes.count) != nil } ?? false
        } ?? utf8.contains(0)
    }
}

import CDBus

/// A message that libdbus holds while its filter runs. libdbus has validated it.
///
/// Sendable only to pass from the filter into the actor whose queue the filter runs on; nobody keeps it longer.
struct ReceivedMessage: @unchecked Sendable {
    private let pointer: OpaquePointer

    init(borrowing pointer: OpaquePointer) { self.pointer = pointer }

    enum Kind { case call, reply, error, signal, other }

    var kind: Kind {
        switch dbus_message_get_type(pointer) {
        case DBUS_MESSAGE_TYPE_METHOD_CALL: .call
        case DBUS_MESSAGE_TYPE_METHOD_RETURN: .reply
        case DBUS_MESSAGE_TYPE_ERROR: .error
        case DBUS_MESSAGE_TYPE_SIGNAL: .signal
        default: .other
        }
    }

    var sender: String { text(dbus_message_get_sender(pointer)) }
    var path: String { text(dbus_message_get_path(pointer)) }
    var interface: String { text(dbus_message_get_interface(pointer)) }
    var member: String { text(dbus_message_get_member(pointer)) }
    var errorName: String { text(dbus_message_get_error_name(pointer)) }
    var serial: UInt32 { dbus_message_get_serial(pointer) }
    var replySerial: UInt32 { dbus_message_get_reply_serial(pointer) }
    var expectsReply: Bool { dbus_message_get_no_reply(pointer) == 0 }

    /// Made by libdbus itself; the bus lets no peer use the interface.
    var isDisconnected: Bool { dbus_message_is_signal(pointer, DBUS_INTERFACE_LOCAL, "Disconnected") != 0 }

    private func text(_ text: UnsafePointer<CChar>?) -> String { text.map { String(cString: $0) } ?? "" }

    func arguments() throws(DBusError) -> [DBusValue] {
        let types = try DBusType.list(text(dbus_message_get_signature(pointer)))
        var iterator = DBusMessageIter()
        dbus_message_iter_init(pointer, &iterator)
        return try iterator.values(types, depth: 0)
    }

    /// A method return's values, or what an error reply says.
    func result() throws(DBusError) -> [DBusValue] {
        let arguments = try arguments()
        guard kind == .error else { return arguments }
        guard case .string(let message)? = arguments.first else { throw .remote(name: errorName, message: "") }
        throw .remote(name: errorName, message: message)
    }
}

/// Reads values of a known type; each read leaves the iterator at the next value.
extension DBusMessageIter {
    fileprivate mutating func values(_ types: [DBusType], depth: Int) throws(DBusError) -> [DBusValue] {
        var values: [DBusValue] = []
        values.reserveCapacity(types.count)
        for type in types { values.append(try value(type, depth: depth)) }
        return values
    }

    private mutating func value(_ type: DBusType, depth: Int) throws(DBusError) -> DBusValue {
        guard depth <= DBusLimits.totalDepth else { throw .unexpectedReply(signature: type.signature) }
        defer { dbus_message_iter_next(&self) }
        if case .basic(let basic) = type { return try self.basic(basic) }
        var sub = DBusMessageIter()
        dbus_message_iter_recurse(&self, &sub)
        switch type {
        case .variant:
            let inner = try sub.currentType()
            return .variant(try sub.value(inner, depth: depth + 1))
        case .structure(let types): return .structure(try sub.values(types, depth: depth + 1))
        case .array(.basic(.byte)): return .bytes(sub.bytes())
        case .array(let element): return .array(element: element.signature, try sub.elements(element, depth: depth))
        case .dictionary(let key, let value): return try sub.dictionary(key, value, depth: depth)
        case .basic(let basic): return try sub.basic(basic)
        }
    }

    private mutating func currentType() throws(DBusError) -> DBusType {
        guard let text = dbus_message_iter_get_signature(&self) else { throw .outOfMemory }
        defer { dbus_free(text) }
        return try DBusType(String(cString: text))
    }

    private var isAtEnd: Bool { mutating get { dbus_message_iter_get_arg_type(&self) == ContainerCode.end } }

    private mutating func elements(_ type: DBusType, depth: Int) throws(DBusError) -> [DBusValue] {
        var values: [DBusValue] = []
        while !isAtEnd { values.append(try value(type, depth: depth + 1)) }
        return values
    }

    private mutating func dictionary(
        _ keyType: BasicType, _ valueType: DBusType, depth: Int
    ) throws(DBusError) -> DBusValue {
        var entries: [DBusValue: DBusValue] = [:]
        while !isAtEnd {
            var entry = DBusMessageIter()
            dbus_message_iter_recurse(&self, &entry)
            let key = try entry.value(.basic(keyType), depth: depth + 2)
            entries[key] = try entry.value(valueType, depth: depth + 2)
            dbus_message_iter_next(&self)
        }
        return .dictionary(key: keyType.signature, value: valueType.signature, entries)
    }

    private mutating func bytes() -> [UInt8] {
        var start: UnsafePointer<UInt8>?
        var count: Int32 = 0
        dbus_message_iter_get_fixed_array(&self, &start, &count)
        return Array(UnsafeBufferPointer(start: start, count: Int(count)))
    }

    private mutating func basic(_ type: BasicType) throws(DBusError) -> DBusValue {
        switch type {
        case .byte: .byte(number(0))
        case .boolean: .boolean(number(dbus_bool_t(0)) != 0)
        case .int16: .int16(number(0))
        case .uint16: .uint16(number(0))
        case .int32: .int32(number(0))
        case .uint32: .uint32(number(0))
        case .int64: .int64(number(0))
        case .uint64: .uint64(number(0))
        case .double: .double(number(0))
        case .string: .string(text())
        case .objectPath: .objectPath(text())
        case .signature: .signature(text())
        case .fileDescriptor: .fileDescriptor(try descriptor())
        }
    }

    private mutating func number<Number: BitwiseCopyable>(_ zero: Number) -> Number {
        var number = zero
        dbus_message_iter_get_basic(&self, &number)
        return number
    }

    private mutating func text() -> String {
        var text: UnsafePointer<CChar>?
        dbus_message_iter_get_basic(&self, &text)
        return text.map { String(cString: $0) } ?? ""
    }

    /// libdbus hands out a duplicate, which is ours to close; -1 when the message came without the descriptor, or the
    /// process has none left.
    private mutating func descriptor() throws(DBusError) -> OwnedDescriptor {
        let number: Int32 = number(-1)
        guard number >= 0 else { throw .unexpectedReply(signature: BasicType.fileDescriptor.signature) }
        return OwnedDescriptor(owning: number)
    }
}

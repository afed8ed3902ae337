import CDBus

/// One owned reference to a `DBusMessage` under construction.
struct RawMessage: ~Copyable {
    let pointer: OpaquePointer

    private init(_ pointer: OpaquePointer?) throws(DBusError) {
        guard let pointer else { throw .outOfMemory }
        self.pointer = pointer
    }

    deinit { dbus_message_unref(pointer) }

    /// - Parameter expectsReply: false sets NO_REPLY_EXPECTED.
    static func call(_ call: MethodCall, expectsReply: Bool = true) throws(DBusError) -> RawMessage {
        try DBusName.bus.check(call.destination)
        try DBusName.objectPath.check(call.path)
        try DBusName.interface.check(call.interface)
        try DBusName.member.check(call.member)
        try DBusName.checkNotLocal(path: call.path, interface: call.interface)
        let body = try MessageBody(call.arguments)
        let message = try RawMessage(
            dbus_message_new_method_call(call.destination, call.path, call.interface, call.member))
        dbus_message_set_auto_start(message.pointer, call.startsService ? 1 : 0)
        dbus_message_set_no_reply(message.pointer, expectsReply ? 0 : 1)
        try message.append(body)
        return message
    }

    static func signal(_ signal: Signal) throws(DBusError) -> RawMessage {
        try DBusName.objectPath.check(signal.path)
        try DBusName.interface.check(signal.interface)
        try DBusName.member.check(signal.member)
        try DBusName.checkNotLocal(path: signal.path, interface: signal.interface)
        let body = try MessageBody(signal.arguments)
        let message = try RawMessage(dbus_message_new_signal(signal.path, signal.interface, signal.member))
        try message.append(body)
        return message
    }

    /// The reply with these values.
    static func reply(to call: ReplyAddress, _ values: [DBusValue]) throws(DBusError) -> RawMessage {
        let body = try MessageBody(values)
        let message = try RawMessage(dbus_message_new(DBUS_MESSAGE_TYPE_METHOD_RETURN))
        try message.address(to: call)
        try message.append(body)
        return message
    }

    /// The error reply with this name and text.
    static func error(to call: ReplyAddress, name: String, text: String) throws(DBusError) -> RawMessage {
        try DBusName.error.check(name)
        let body = try MessageBody([.string(text)])
        let message = try RawMessage(dbus_message_new(DBUS_MESSAGE_TYPE_ERROR))
        guard dbus_message_set_error_name(message.pointer, name) != 0 else { throw .outOfMemory }
        try message.address(to: call)
        try message.append(body)
        return message
    }

    private borrowing func address(to call: ReplyAddress) throws(DBusError) {
        guard dbus_message_set_reply_serial(pointer, call.serial) != 0,
            dbus_message_set_destination(pointer, call.sender) != 0
        else { throw .outOfMemory }
        dbus_message_set_no_reply(pointer, 1)
    }

    borrowing func append(_ body: MessageBody) throws(DBusError) {
        var iterator = DBusMessageIter()
        dbus_message_iter_init_append(pointer, &iterator)
        for (value, type) in zip(body.values, body.types) { try iterator.append(value, as: type) }
    }

    /// One that was not sent, with the same flags.
    borrowing func copy() throws(DBusError) -> RawMessage { try RawMessage(dbus_message_copy(pointer)) }

    /// Whether a descriptor is among the values, which not every transport carries.
    var hasDescriptors: Bool { dbus_message_contains_unix_fds(pointer) != 0 }
}

/// Where a reply goes: who called, and which of the caller's messages it was.
struct ReplyAddress: Hashable, Sendable {
    let sender: String
    let serial: UInt32
}

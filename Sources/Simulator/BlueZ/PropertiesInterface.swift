import DBus

/// `org.freedesktop.DBus.Properties`, with the errors of BlueZ's own D-Bus library.
extension BluetoothDaemon {
    mutating func properties(_ call: IncomingCall) throws(ErrorReply) -> Reply {
        guard let object = tree[call.path] else { throw .unknownObject(path: call.path) }
        guard case .string(let interface)? = call.arguments.first else { throw unknownMethod(call) }
        guard let properties = object[interface] else { throw .unknownInterface(interface) }
        switch (call.member, Array(call.arguments.dropFirst())) {
        case ("GetAll", []):
            return .values([.properties(properties)])
        case ("Get", [.string(let name)]):
            guard let value = properties[name] else { throw .noSuchProperty(name) }
            return .values([.variant(value)])
        case ("Set", [.string(let name), .variant(let value)]):
            try set(name, of: interface, at: call.path, to: value)
            return .done
        default:
            throw unknownMethod(call)
        }
    }

    private func unknownMethod(_ call: IncomingCall) -> ErrorReply {
        .unknownMethod(call.member, signature: call.signature, interface: call.interface)
    }

    private mutating func set(
        _ name: String, of interface: String, at path: String, to value: DBusValue
    ) throws(ErrorReply) {
        guard let property = InterfaceDescription.named(interface)?.property(named: name) else {
            throw .unknownProperty(name)
        }
        guard property.isWritable else { throw .readOnlyProperty(name) }
        guard property.type == (try? value.signature()) else { throw .invalidSignature(property: name) }
        switch (name, value) {
        case ("Powered", .boolean(let isOn)): try setPower(of: path, isOn)
        case ("Alias", .string("")): restoreAlias(of: interface, at: path)
        default: tree.set(name, of: interface, at: path, to: value)
        }
    }

    /// An empty alias brings the real name back, or what stands for one.
    private mutating func restoreAlias(of interface: String, at path: String) {
        let name = tree.value("Name", of: interface, at: path)
        let address = tree.value("Address", of: interface, at: path)
        guard case .string(let text)? = name ?? address else { return }
        tree.set("Alias", of: interface, at: path, to: .string(name == nil ? text.replacing(":", with: "-") : text))
    }
}

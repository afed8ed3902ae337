import DBus

/// From a method call to the part of the daemon that it is for.
extension BluetoothDaemon {
    mutating func dispatch(_ call: IncomingCall, _ id: CallID) throws(ErrorReply) -> Reply {
        if faults.contains(.hungDaemon) { return .never }
        switch call.interface {
        case StandardInterface.objectManager where call.path == "/" && call.member == "GetManagedObjects":
            return .values([tree.managedObjects])
        case StandardInterface.introspectable where call.member == "Introspect":
            return .values([.string(try introspect(call.path))])
        case StandardInterface.properties:
            return try properties(call)
        default:
            return try ownMethod(call, id)
        }
    }

    private mutating func ownMethod(_ call: IncomingCall, _ id: CallID) throws(ErrorReply) -> Reply {
        guard let object = tree[call.path] else { throw .unknownObject(path: call.path) }
        let signature = call.signature
        // A caller may leave the interface out.
        let candidates = call.interface.isEmpty ? object.keys.sorted() : [call.interface]
        let interface = candidates.first { name in
            let methods = InterfaceDescription.named(name)?.methods ?? []
            return object[name] != nil
                && methods.contains { $0.name == call.member && $0.inputSignature == signature }
        }
        guard let interface else {
            throw .unknownMethod(call.member, signature: signature, interface: call.interface)
        }
        return try method(of: interface, call, id)
    }

    /// The member and its arguments' types were checked.
    private mutating func method(
        of interface: String, _ call: IncomingCall, _ id: CallID
    ) throws(ErrorReply) -> Reply {
        switch interface {
        case BlueZInterface.agentManager: try agentManagerMethod(call)
        case BlueZInterface.adapter: try adapterMethod(call, id)
        case BlueZInterface.device where call.member == "Connect" && faults.contains(.daemonDies): crash()
        case BlueZInterface.device: try deviceMethod(call, id)
        case _ where call.member.hasSuffix("Write") || call.member == "WriteValue":
            try writeMethod(of: interface, call, id)
        default: try attributeMethod(of: interface, call, id)
        }
    }

    /// Where another program has acquired a characteristic, nobody else writes to it.
    private mutating func writeMethod(
        of interface: String, _ call: IncomingCall, _ id: CallID
    ) throws(ErrorReply) -> Reply {
        guard !faults.contains(.heldElsewhere) else { throw .notPermitted("Write acquired") }
        return try attributeMethod(of: interface, call, id)
    }

    private func introspect(_ path: String) throws(ErrorReply) -> String {
        let prefix = path == "/" ? "/" : path + "/"
        let below = tree.objects.keys.filter { $0.hasPrefix(prefix) && $0 != path }
        let children = Set(below.map { String($0.dropFirst(prefix.count).prefix { $0 != "/" }) })
        guard tree[path] != nil || !children.isEmpty else { throw .unknownObject(path: path) }
        let interfaces = path == "/" ? [StandardInterface.objectManager] : tree[path].map { $0.keys.sorted() } ?? []
        return IntrospectionDocument(interfaces: interfaces, children: Array(children)).text
    }

    private mutating func agentManagerMethod(_ call: IncomingCall) throws(ErrorReply) -> Reply {
        guard case .objectPath(let path)? = call.arguments.first else { throw .invalidArguments }
        switch (call.member, call.arguments.last) {
        case ("RegisterAgent", .string(let text)?):
            guard let capability = Agent.Capability(text: text) else { throw .invalidArguments }
            try agents.register(Agent(owner: call.sender, path: path, capability: capability))
        case ("UnregisterAgent", _): try agents.unregister(path: path, of: call.sender)
        default: try agents.makeDefault(path: path, of: call.sender)
        }
        return .done
    }
}

extension IncomingCall {
    /// Of its arguments.
    var signature: String { arguments.map { (try? $0.signature()) ?? "" }.joined() }
}

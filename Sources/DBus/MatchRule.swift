extension MatchRule {
    static let nameOwnerChanged = "NameOwnerChanged"

    /// The changes of a name's owner, as the bus tells them: the name, the old owner, the new one, either of them empty
    /// where there is none.
    public static func nameOwnerChanges(of name: String) -> MatchRule {
        MatchRule(
            sender: MessageBus.name, path: MessageBus.path, interface: MessageBus.interface, member: nameOwnerChanged,
            firstArgument: name)
    }

    /// The sender, when it is a name whose owner can change.
    var trackedSender: String? {
        guard let sender, !sender.hasPrefix(":"), sender != MessageBus.name else { return nil }
        return sender
    }

    /// As `AddMatch` takes it.
    func text() throws(DBusError) -> String {
        if let sender { try DBusName.bus.check(sender) }
        if let path { try DBusName.objectPath.check(path) }
        if let pathNamespace { try DBusName.objectPath.check(pathNamespace) }
        if let interface { try DBusName.interface.check(interface) }
        if let member { try DBusName.member.check(member) }
        guard firstArgument?.utf8.contains(0) != true else { throw .invalidMessage("a rule with a NUL") }
        guard path == nil || pathNamespace == nil else {
            throw .invalidMessage("a rule with a path and a path namespace")
        }
        let keys: [(String, String?)] = [
            ("type", "signal"), ("sender", sender), ("path", path), ("path_namespace", pathNamespace),
            ("interface", interface), ("member", member), ("arg0", firstArgument),
        ]
        return keys.compactMap { key, value in value.map { "\(key)=\(MatchRule.quoted($0))" } }.joined(separator: ",")
    }

    /// An apostrophe cannot stand within quotes; `\'` stands for one outside them.
    private static func quoted(_ value: String) -> String {
        "'" + value.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }

    /// All of the rule but the sender.
    func matches(_ signal: Signal) -> Bool {
        (path.map { $0 == signal.path } ?? true)
            && (pathNamespace.map { signal.path.isObjectPath(within: $0) } ?? true)
            && (interface.map { $0 == signal.interface } ?? true)
            && (member.map { $0 == signal.member } ?? true)
            && (firstArgument.map { signal.arguments.first == .string($0) } ?? true)
    }
}

extension String {
    /// Whether this is `prefix` or below it.
    func isObjectPath(within prefix: String) -> Bool { prefix == "/" || self == prefix || hasPrefix(prefix + "/") }
}

/// A method call as it is sent.
public struct MethodCall: Hashable, Sendable {
    public var destination: String
    public var path: String
    public var interface: String
    public var member: String
    public var arguments: [DBusValue]
    /// False sets NO_AUTO_START: an activatable service that never comes would hold the call for 25 s.
    public var startsService: Bool

    public init(
        _ member: String, of interface: String, at path: String, to destination: String, _ arguments: [DBusValue] = [],
        startsService: Bool = false
    ) {
        self.destination = destination
        self.path = path
        self.interface = interface
        self.member = member
        self.arguments = arguments
        self.startsService = startsService
    }
}

/// A method call as it arrives at an exported object.
public struct IncomingCall: Hashable, Sendable {
    /// The caller's unique name.
    public var sender: String
    public var path: String
    /// Empty where the caller gave none.
    public var interface: String
    public var member: String
    public var arguments: [DBusValue]

    public init(sender: String, path: String, interface: String, member: String, arguments: [DBusValue]) {
        self.sender = sender
        self.path = path
        self.interface = interface
        self.member = member
        self.arguments = arguments
    }
}

/// What an exported object answers.
public enum MethodAnswer: Hashable, Sendable {
    case values([DBusValue])
    case error(name: String, message: String)
    /// Never answers: the caller's deadline passes.
    case silence
}

public struct Signal: Hashable, Sendable {
    /// The sender's unique name; empty in one that is to be emitted.
    public var sender: String
    public var path: String
    public var interface: String
    public var member: String
    public var arguments: [DBusValue]

    public init(
        _ member: String, of interface: String, at path: String, _ arguments: [DBusValue] = [], sender: String = ""
    ) {
        self.sender = sender
        self.path = path
        self.interface = interface
        self.member = member
        self.arguments = arguments
    }
}

/// Which signals are wanted (D-Bus specification, "Match Rules"). Nil leaves a member of the rule out.
public struct MatchRule: Hashable, Sendable {
    public var sender: String?
    public var path: String?
    public var pathNamespace: String?
    public var interface: String?
    public var member: String?
    public var firstArgument: String?

    public init(
        sender: String? = nil, path: String? = nil, pathNamespace: String? = nil, interface: String? = nil,
        member: String? = nil, firstArgument: String? = nil
    ) {
        self.sender = sender
        self.path = path
        self.pathNamespace = pathNamespace
        self.interface = interface
        self.member = member
        self.firstArgument = firstArgument
    }
}

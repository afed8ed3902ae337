/// A failure of the message bus, of the connection to it, or of the peer that answered.
public enum DBusError: Error, Hashable, Sendable {
    /// libdbus is not there, or is no libdbus.
    case libraryUnusable(reason: String)
    /// This process, or with `ENFILE` the machine, has no descriptor left.
    case tooManyOpenFiles(errno: Int32)
    /// The address could not be connected to.
    case connectionFailed(address: String, reason: String)
    /// The bus refused this process on connecting: `AccessDenied`, `AuthFailed`, or the end of the connection before
    /// its first answer.
    case connectionRefused(address: String, reason: String)
    /// The peer answered with an error reply.
    case remote(name: String, message: String)
    /// No reply within the call's deadline.
    case deadline(Duration)
    /// The connection ended under a pending call, or was closed already.
    case disconnected
    /// The message could not be made: an invalid name or path, a value outside D-Bus' limits.
    case invalidMessage(String)
    /// The reply is not of the signature that was asked for.
    case unexpectedReply(signature: String)
    /// Another connection owns the well-known name.
    case nameTaken(String)
    /// A handler is exported at this very path already.
    case pathTaken(String)
    case outOfMemory
    case cancelled
}

/// An error of the Attribute Protocol that the ears answer with (Core Specification, Vol 3, Part F, 3.4.1.1).
public enum AttributeError: UInt8, Hashable, Sendable {
    case readNotPermitted = 0x02
    case writeNotPermitted = 0x03
    /// What a stock NimBLE build answers when an endpoint's handler failed; the link stays up.
    case handlerFailed = 0x04
    /// The link is not encrypted and the ears hold no bond for this peer.
    case insufficientAuthentication = 0x05
    /// Longer than the endpoint's limit, request or reply.
    case invalidLength = 0x0D
    /// The link is not encrypted although the ears hold a bond for this peer.
    case insufficientEncryption = 0x0F
}

/// How a read or a write of a characteristic failed.
public enum GATTFailure: Error, Hashable, Sendable {
    case attribute(AttributeError)
    case notConnected
    /// The link went down under the request: the ears may have carried it out or not.
    case linkLost
    /// The link stays up and nothing ever comes back: the peer's own transaction limit (30 s) ends the wait.
    case noAnswer
}

import ControlProtocol

/// The one link that the ears hold.
struct Link: Hashable, Sendable {
    /// The peer's identity address.
    let peer: String
    var isEncrypted = false
    /// One stored reply for each characteristic, gone with the link.
    var replies: [EndpointName: [UInt8]] = [:]
    /// Nil while the peer wants no notifications of the stream characteristic.
    var stream: StreamFlow?
    /// Nothing is answered any more.
    var isSilent = false
    /// The next read finds the link gone.
    var dropsOnRead = false
    var pairing: Pairing?
}

/// A pairing that the peer began.
enum Pairing: Hashable, Sendable {
    /// The ears wait for the button until then.
    case waitingForClick(until: Duration)
    /// Both sides show the digits.
    case comparing(passkey: UInt32)
}

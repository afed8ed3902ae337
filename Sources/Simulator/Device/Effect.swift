public import ControlProtocol

/// What the ears did that can be seen from outside; taken in order with ``SimulatedEars/advance(to:)``.
public enum Effect: Hashable, Sendable {
    /// ``SimulatedEars/advertisement`` is another one now, or there is none.
    case advertisementChanged
    /// The ears ended the link, or fell silent for good.
    case linkDropped
    case pairing(PairingEvent)
    /// A notification of that characteristic.
    case notification(EndpointName, [UInt8])
    /// A line on the serial console, without its end.
    case serialLine(String)
}

/// How a pairing that the peer asked for goes on.
public enum PairingEvent: Hashable, Sendable {
    /// The ears wait 30 s for ``SimulatedEars/clickButton(at:)``.
    case clickNeeded
    /// Numeric comparison: both sides show these six digits; the ears wait for
    /// ``SimulatedEars/confirmPairing(_:at:)``.
    case comparison(passkey: UInt32)
    /// A bond on both sides; the link is encrypted with the key. Without a comparison before it this is Just Works.
    case bonded(BondKey)
    case failed(PairingFailure)
}

public enum PairingFailure: Hashable, Sendable {
    /// Nobody clicked the button of the headset in time.
    case notPermitted
    case rejectedByPeer
}

/// What the ears advertise while no link is up.
public struct Advertisement: Hashable, Sendable {
    /// The complete name, in the scan response.
    public let name: String
    public let serviceUUID: String
}

/// A long-term key that both sides keep.
public struct BondKey: Hashable, Sendable, Codable {
    /// 16 bytes.
    public let bytes: [UInt8]

    public init(bytes: [UInt8]) { self.bytes = bytes }
}

/// How long things take on this side. None of it is a promise of BlueZ.
public struct DaemonTiming: Hashable, Sendable {
    /// From the start of a discovery to the first advertisement.
    public var firstAdvertisement: Duration
    /// Between two advertisements of one peripheral that are told.
    public var advertisingInterval: Duration
    /// From `Connect` to the link.
    public var connect: Duration
    /// From the link to the resolved services.
    public var resolveServices: Duration
    /// From `Disconnect` to the end of the link.
    public var disconnect: Duration
    /// From the pairing request to the digits.
    public var pair: Duration
    /// One ATT request and its response.
    public var exchange: Duration

    /// In the order of a desk's radio, without making anybody wait for it.
    public static let brisk = DaemonTiming(
        firstAdvertisement: .milliseconds(60), advertisingInterval: .milliseconds(500), connect: .milliseconds(40),
        resolveServices: .milliseconds(20), disconnect: .milliseconds(50), pair: .milliseconds(100), exchange: .zero)

    /// As BlueZ 5.82 was measured over a simulated controller.
    public static let measured = DaemonTiming(
        firstAdvertisement: .milliseconds(150), advertisingInterval: .milliseconds(500), connect: .milliseconds(200),
        resolveServices: .milliseconds(100), disconnect: .seconds(2), pair: .milliseconds(500),
        exchange: .milliseconds(9))
}

/// Limits that BlueZ and the Bluetooth specification set.
enum DaemonLimit {
    /// An ATT request without a response ends the link (Core specification, Vol 3 Part F 3.3.3).
    static let attributeTransaction = Duration.seconds(30)
    /// Security Manager time-out (30 s, Vol 3 Part H 3.4) and what BlueZ takes to notice, as seen.
    static let pairing = Duration.seconds(32)
    /// A `Connect` to a device that is not there, as seen.
    static let connect = Duration.seconds(40)
    /// A device without a bond is forgotten this long after it was last heard.
    static let temporaryDevice = Duration.seconds(30)
    /// The longest attribute value (Vol 3 Part F 3.2.9).
    static let attributeValue = 512
    /// An unencrypted link that a pairing failed on goes down after this.
    static let lingerAfterFailedPairing = Duration.milliseconds(100)
    /// Between two attempts of the controller to reach a device that is not heard.
    static let connectRetry = Duration.milliseconds(50)
    /// From the link to its end where the peripheral does not know the bond, as seen.
    static let staleBond = Duration.milliseconds(100)
    /// What changes less is not told to a discovery without a filter (dBm).
    static let signalStep: Int16 = 8
}

/// One Bluetooth adapter of this machine.
public struct Adapter: Hashable, Sendable {
    public var name: AdapterName
    public var address: BluetoothAddress
    public var isPowered: Bool
    /// By rfkill; nil where it is not.
    public var block: RadioBlock?
    /// For another program: the scans of this process are not meant, nor is what BlueZ says while the last one ends.
    public var isDiscovering: Bool
    /// Of the daemon that reports the adapter; nil where it does not say.
    public var daemonVersion: BlueZVersion?

    public var isBlocked: Bool { block != nil }

    public init(
        name: AdapterName, address: BluetoothAddress, isPowered: Bool, block: RadioBlock? = nil, isDiscovering: Bool,
        daemonVersion: BlueZVersion? = nil
    ) {
        self.name = name
        self.address = address
        self.isPowered = isPowered
        self.block = block
        self.isDiscovering = isDiscovering
        self.daemonVersion = daemonVersion
    }
}

/// A device as BlueZ sees it at one moment.
public struct Sighting: Hashable, Sendable {
    public var adapter: AdapterName
    public var address: BluetoothAddress
    /// What it advertises; never an identity.
    public var name: String?
    /// dBm; nil where it is known but not heard in this discovery.
    public var rssi: Int16?
    public var isPaired: Bool
    public var isBonded: Bool
    public var isConnected: Bool
    public var services: Set<BluetoothUUID>

    public init(
        adapter: AdapterName, address: BluetoothAddress, name: String?, rssi: Int16?, isPaired: Bool, isBonded: Bool,
        isConnected: Bool, services: Set<BluetoothUUID>
    ) {
        self.adapter = adapter
        self.address = address
        self.name = name
        self.rssi = rssi
        self.isPaired = isPaired
        self.isBonded = isBonded
        self.isConnected = isConnected
        self.services = services
    }
}

/// The six digits that both sides of a numeric comparison show.
public struct Passkey: Hashable, Sendable, CustomStringConvertible {
    public let number: UInt32

    /// - Parameter number: 0 to 999999.
    public init?(_ number: UInt32) {
        guard number <= 999_999 else { return nil }
        self.number = number
    }

    /// Always six digits.
    public var description: String {
        let digits = String(number)
        return String(repeating: "0", count: 6 - digits.count) + digits
    }
}

/// This machine's side of Bluetooth LE. BlueZ stands behind it; tests put a scripted one there.
///
/// Every call has a deadline of its own and ends at once when its task is cancelled.
public protocol Central: Sendable {
    /// The adapters, in the order of their names. An empty list is an answer, not an error.
    func adapters() async throws(BluetoothError) -> [Adapter]

    /// What BlueZ knows already on an adapter that has the service: paired, connected or cached.
    ///
    /// - Parameter adapter: nil is every adapter.
    func known(with service: BluetoothUUID, on adapter: AdapterName?) async throws(BluetoothError) -> [Sighting]

    /// Sightings until the consumer stops; what is known already comes first.
    ///
    /// - Parameter service: never a wildcard.
    func discover(_ service: BluetoothUUID, on adapter: AdapterName) -> AsyncThrowingStream<Sighting, any Error>

    /// Connects and waits until the services are resolved. Nothing is paired by it.
    func connect(
        to device: BluetoothAddress, on adapter: AdapterName, deadline: Duration
    ) async throws(BluetoothError) -> any Peripheral

    /// Pairs by numeric comparison with an agent of its own, registered for the time of the call.
    ///
    /// - Parameter confirm: asked for exactly this device's passkey; false refuses.
    /// - Returns: the device's identity address: a bond tells it of a device that goes by private ones (Core
    ///   specification, Vol 3 Part H 2.4.2.1), and from then on it is known by it.
    /// - Throws: ``PairingFailure/downgraded`` where `confirm` was not asked: the bond has been removed by then.
    @discardableResult func pair(
        with device: BluetoothAddress, on adapter: AdapterName, deadline: Duration,
        confirm: @escaping @Sendable (Passkey) async -> Bool
    ) async throws(BluetoothError) -> BluetoothAddress

    /// Removes this machine's bond, and what BlueZ cached of the device with it.
    func removeBond(of device: BluetoothAddress, on adapter: AdapterName) async throws(BluetoothError)
}

/// One GATT characteristic of a connected peripheral.
public struct Characteristic: Hashable, Sendable {
    public struct Properties: OptionSet, Hashable, Sendable {
        public let rawValue: UInt8
        public init(rawValue: UInt8) { self.rawValue = rawValue }
        public static let read = Properties(rawValue: 1 << 0)
        public static let write = Properties(rawValue: 1 << 1)
        public static let writeWithoutResponse = Properties(rawValue: 1 << 2)
        public static let notify = Properties(rawValue: 1 << 3)
        public static let indicate = Properties(rawValue: 1 << 4)
    }

    public var uuid: BluetoothUUID
    public var properties: Properties
    /// Descriptors that it has.
    public var descriptors: Set<BluetoothUUID>
    /// The link's ATT MTU in bytes; 23 where BlueZ does not say.
    public var maximumTransmissionUnit: Int
    /// Tells characteristics of one UUID apart; meaningful to the peripheral that gave it only.
    public var handle: String

    public init(
        uuid: BluetoothUUID, properties: Properties, descriptors: Set<BluetoothUUID>, maximumTransmissionUnit: Int,
        handle: String
    ) {
        self.uuid = uuid
        self.properties = properties
        self.descriptors = descriptors
        self.maximumTransmissionUnit = maximumTransmissionUnit
        self.handle = handle
    }
}

/// A connected device. It presumes no bond, no named endpoint and no repeat: nothing here is ever sent twice.
///
/// Every operation fails with ``BluetoothError/linkLost(during:)`` as soon as the link is gone, without waiting for
/// its deadline.
public protocol Peripheral: Sendable {
    var address: BluetoothAddress { get }
    var adapter: AdapterName { get }

    /// Whether BlueZ holds a bond (a stored key) for it now.
    func isBonded() async throws(BluetoothError) -> Bool

    /// - Throws: ``BluetoothError/missingService(_:)`` where the resolved services lack it.
    func characteristics(of service: BluetoothUUID) async throws(BluetoothError) -> [Characteristic]

    func readDescriptor(
        _ descriptor: BluetoothUUID, of characteristic: Characteristic, deadline: Duration
    ) async throws(BluetoothError) -> [UInt8]

    func read(_ characteristic: Characteristic, deadline: Duration) async throws(BluetoothError) -> [UInt8]

    /// A write with response. Longer than the MTU allows, it becomes a long write.
    func write(_ value: [UInt8], to characteristic: Characteristic, deadline: Duration) async throws(BluetoothError)

    /// A write, and the read of what the device answers to it.
    ///
    /// Once the write has begun both are finished, whatever becomes of the task: no answer is left to be read as
    /// another's. A task that was cancelled before sends nothing, and gets ``BluetoothError/cancelled``; one that is
    /// cancelled meanwhile may get ``BluetoothError/abandoned(_:)`` instead of waiting for the deadline.
    ///
    /// - Parameters:
    ///   - deadline: of each of the two.
    ///   - overlapping: the read may be handed to BlueZ together with the write, where one packet holds it, so that it
    ///     follows the write's response at once. A bearer carries out one request after the other (Core specification,
    ///     Vol 3 Part F 3.3.2), but with several (EATT, 3.2.11) the read may come first: only for answers that show
    ///     what they answer.
    func exchange(
        _ value: [UInt8], with characteristic: Characteristic, deadline: Duration, overlapping: Bool
    ) async throws(BluetoothError) -> [UInt8]

    /// Takes the characteristic for writes without response.
    ///
    /// - Throws: ``BluetoothError/rejected(_:)`` where it has no such property,
    ///   ``BluetoothError/heldByOthers(_:)`` where somebody on this machine has taken it already.
    func openWrites(
        to characteristic: Characteristic, deadline: Duration
    ) async throws(BluetoothError) -> any WriteStream

    /// Subscribes to the characteristic's notifications.
    ///
    /// - Throws: ``BluetoothError/rejected(_:)`` where it has none, ``BluetoothError/heldByOthers(_:)`` where
    ///   somebody on this machine has taken them already.
    func openNotifications(
        of characteristic: Characteristic, deadline: Duration
    ) async throws(BluetoothError) -> any NotificationStream

    /// Runs `body` from its first operation on where the operations of this peripheral run, which spares a change of
    /// threads to each of thousands of them. `body` does nothing that blocks for long.
    func running<Value, Failure: Error>(
        _ body: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value

    /// Returns once the link is down, whoever ended it.
    func linkEnded() async

    /// Ends the link. Does nothing where it is down already.
    func disconnect() async throws(BluetoothError)
}

extension Peripheral {
    public func running<Value, Failure: Error>(
        _ body: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value { try await body() }

    /// One after the other.
    public func exchange(
        _ value: [UInt8], with characteristic: Characteristic, deadline: Duration
    ) async throws(BluetoothError) -> [UInt8] {
        try await exchange(value, with: characteristic, deadline: deadline, overlapping: false)
    }

    public func exchange(
        _ value: [UInt8], with characteristic: Characteristic, deadline: Duration, overlapping: Bool
    ) async throws(BluetoothError) -> [UInt8] {
        if Task.isCancelled { throw .cancelled }
        return try await Task { () -> Result<[UInt8], BluetoothError> in
            do throws(BluetoothError) {
                try await write(value, to: characteristic, deadline: deadline)
                return .success(try await read(characteristic, deadline: deadline))
            } catch {
                return .failure(error)
            }
        }.value.get()
    }
}

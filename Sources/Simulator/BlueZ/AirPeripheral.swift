/// A peripheral as a controller meets it on the air: a state machine that is told the time and what reaches it.
///
/// Calls change it; what it does in turn, at once or later, comes back as events.
protocol AirPeripheral: Sendable {
    /// The public identity address, `AA:BB:CC:DD:EE:FF`.
    var address: String { get }
    /// Nil while it is not to be heard: connected, off, restarting.
    var advertisement: AirAdvertisement? { get }
    var service: AirService { get }
    /// The largest ATT MTU that it agrees to, in bytes.
    var maximumTransmissionUnit: UInt16 { get }
    /// When it does something by itself next.
    var nextDeadline: Duration? { get }

    mutating func receive(_ event: CentralEvent, at time: Duration) -> [PeripheralEvent]
    mutating func advance(to time: Duration) -> [PeripheralEvent]
}

struct AirAdvertisement: Hashable, Sendable {
    var name: String
    /// 128-bit UUIDs.
    var services: [String]
}

/// The primary service of a peripheral, with handles as its GATT table has them.
struct AirService: Hashable, Sendable {
    var uuid: String
    var handle: UInt16
    var characteristics: [AirCharacteristic]
}

struct AirCharacteristic: Hashable, Sendable {
    var uuid: String
    /// Of the declaration; the value's is the next one.
    var handle: UInt16
    /// BlueZ's names of the properties: `read`, `write`, `write-without-response`, `notify` …
    var flags: [String]
    var descriptors: [AirDescriptor]

    var valueHandle: UInt16 { handle + 1 }
}

struct AirDescriptor: Hashable, Sendable {
    var uuid: String
    var handle: UInt16
}

/// What reaches a peripheral over the air.
enum CentralEvent: Hashable, Sendable {
    /// - Parameters:
    ///   - central: the adapter's address.
    ///   - key: of the bond, where this side holds one; the peripheral answers ``PeripheralEvent/keyMissing`` where it
    ///     does not know it.
    case linkOpened(central: String, key: [UInt8]?)
    case linkClosed
    case read(handle: UInt16)
    case write(handle: UInt16, [UInt8])
    /// A write without response.
    case command(handle: UInt16, [UInt8])
    /// To the notifications of the value at that handle, or not any more.
    case subscribed(handle: UInt16, Bool)
    /// - Parameter canCompare: this side can show digits and take a yes or no.
    case pairingRequested(canCompare: Bool)
    /// The answer of this side's user to the comparison.
    case comparisonAnswered(matches: Bool)
    case pairingCancelled
}

/// What a peripheral does.
enum PeripheralEvent: Hashable, Sendable {
    /// The answer to the one read or write that is under way.
    case value([UInt8])
    case written
    /// Of the value at that handle; nobody answers it.
    case notified(handle: UInt16, [UInt8])
    case refused(code: UInt8)
    /// The bond that the link was opened with is unknown here.
    case keyMissing
    /// Both sides show these digits, 0 to 999999.
    case comparison(passkey: UInt32)
    case bonded(key: [UInt8])
    case pairingRefused
    case linkDropped
    /// A line on its serial console.
    case console(String)
}

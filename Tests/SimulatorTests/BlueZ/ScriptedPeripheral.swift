@testable import Simulator

/// A peripheral that does what a test says, and nothing else.
struct ScriptedPeripheral: AirPeripheral {
    /// How it answers a pairing request.
    enum PairingManner: Sendable {
        case compares(UInt32)
        case justWorks
        case refuses
        case keepsSilent
    }

    static let serviceUUID = "8a47e5b1-2c0d-4f6a-9b3e-71d05c98a6f4"
    static let key: [UInt8] = Array(1...16)

    var address = "02:E5:50:00:00:01"
    var isHeard = true
    var knowsKey: [UInt8]? = Self.key
    var pairing = PairingManner.compares(123_456)
    /// Nil: a request is never answered.
    var answer: PeripheralEvent? = .value([1, 2, 3])
    /// Until the link has a bond.
    var protection: UInt8?
    /// When it lets go of the link by itself.
    var dropsAt: Duration?
    /// When it is heard again.
    var returnsAt: Duration?
    /// It notifies of what is written without a response.
    var echoes = false
    /// It notifies at that time, of the value at handle 0x18.
    var notifiesAt: Duration?
    private(set) var received: [CentralEvent] = []

    var advertisement: AirAdvertisement? {
        isHeard && !isLinked ? AirAdvertisement(name: "espurr-0001", services: [Self.serviceUUID]) : nil
    }
    var service = AirService(
        uuid: Self.serviceUUID, handle: 0x10,
        characteristics: [
            AirCharacteristic(
                uuid: "8a47ff50-2c0d-4f6a-9b3e-71d05c98a6f4", handle: 0x11, flags: ["read", "write"],
                descriptors: [AirDescriptor(uuid: "00002901-0000-1000-8000-00805f9b34fb", handle: 0x13)]),
            AirCharacteristic(
                uuid: "8a47ff51-2c0d-4f6a-9b3e-71d05c98a6f4", handle: 0x14, flags: ["read", "write-without-response"],
                descriptors: []),
            AirCharacteristic(
                uuid: "8a47ff52-2c0d-4f6a-9b3e-71d05c98a6f4", handle: 0x17,
                flags: ["write-without-response", "notify"], descriptors: []),
        ])
    var maximumTransmissionUnit: UInt16 = 256
    var nextDeadline: Duration? { [dropsAt, returnsAt, notifiesAt].compactMap(\.self).min() }
    private var isLinked = false

    mutating func receive(_ event: CentralEvent, at time: Duration) -> [PeripheralEvent] {
        received.append(event)
        switch event {
        case .linkOpened(_, let key):
            isLinked = true
            guard let key, key != knowsKey else { return [] }
            isLinked = false
            return [.keyMissing]
        case .linkClosed:
            isLinked = false
            return []
        case .read, .write: return [protection.map(PeripheralEvent.refused) ?? answer].compactMap(\.self)
        case .command(let handle, let value) where echoes: return [.notified(handle: handle, value)]
        case .command, .subscribed, .pairingCancelled, .comparisonAnswered(matches: false): return []
        case .pairingRequested(let canCompare): return canCompare || isJustWorks ? pairingAnswer() : [.pairingRefused]
        case .comparisonAnswered(matches: true): return bond()
        }
    }

    mutating func advance(to time: Duration) -> [PeripheralEvent] {
        if let returnsAt, returnsAt <= time {
            self.returnsAt = nil
            isHeard = true
        }
        if let notifiesAt, notifiesAt <= time {
            self.notifiesAt = nil
            return [.notified(handle: 0x18, [5, 6])]
        }
        guard let dropsAt, dropsAt <= time else { return [] }
        self.dropsAt = nil
        isLinked = false
        return [.linkDropped]
    }

    private var isJustWorks: Bool { if case .justWorks = pairing { true } else { false } }

    private mutating func pairingAnswer() -> [PeripheralEvent] {
        switch pairing {
        case .compares(let passkey): [.console("passkey \(passkey)"), .comparison(passkey: passkey)]
        case .justWorks: bond()
        case .refuses: [.pairingRefused]
        case .keepsSilent: []
        }
    }

    private mutating func bond() -> [PeripheralEvent] {
        protection = nil
        knowsKey = Self.key
        return [.bonded(key: Self.key)]
    }
}

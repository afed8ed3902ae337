@testable import Simulator

/// The peripheral of Tests/BlueZContract for the simulated `org.bluez`, as Tests/RadioTests/contract_peripheral.py is for
/// the real one: what it does is asked for over its control characteristic.
struct ContractPeripheral: AirPeripheral {
    private enum Manner: UInt8 {
        case compare, denyDigits, neverConfirm, refuse, justWorks, loseLink
    }

    private enum Handle {
        static let control: UInt16 = 0x12
        static let value: UInt16 = 0x14
        static let valueName: UInt16 = 0x15
        static let guarded: UInt16 = 0x17
        static let stream: UInt16 = 0x19
    }

    let address = "C4:11:22:33:44:66"
    let maximumTransmissionUnit: UInt16 = 517
    let service = AirService(
        uuid: uuid("100"), handle: 0x10,
        characteristics: [
            AirCharacteristic(uuid: uuid("101"), handle: 0x11, flags: ["read", "write"], descriptors: []),
            AirCharacteristic(
                uuid: uuid("102"), handle: 0x13, flags: ["read", "write"],
                descriptors: [AirDescriptor(uuid: "00002901-0000-1000-8000-00805f9b34fb", handle: Handle.valueName)]),
            AirCharacteristic(uuid: uuid("103"), handle: 0x16, flags: ["read", "write"], descriptors: []),
            AirCharacteristic(
                uuid: uuid("104"), handle: 0x18, flags: ["write-without-response", "notify"], descriptors: []),
        ])

    private static func uuid(_ digits: String) -> String { "7d5a0\(digits)-4d1c-4b5e-9d0a-3c6b1f0e2a90" }
    private static let key: [UInt8] = Array(1...16)

    private var isLinked = false
    private var isGuarded = true
    private var key: [UInt8]?
    private var value: [UInt8] = []
    private var guardedValue: [UInt8] = []
    private var passkey: UInt32 = 0
    private var script = Script()
    /// Goes with the link that was paired on: a client that is to pair may make a new one for it.
    private var manner = Manner.compare
    private var hasPaired = false

    /// Forgotten with the link.
    private struct Script {
        var refusal: UInt8?
        var isSilent = false
        var dropsAt: Duration?
        var flood: Flood?
        var isSubscribed = false
        var packets: UInt32 = 0
        var bytes: UInt32 = 0
        var longest: UInt16 = 0
        var misplaced: UInt16 = 0
    }

    /// One notification a millisecond: what a radio carries, and less than what a descriptor holds.
    private struct Flood {
        var next = 0
        let count: Int
        let length: Int
        var due: Duration

        var value: [UInt8] {
            Array((UInt32(next).littleEndianBytes + [UInt8](repeating: 0, count: length)).prefix(length))
        }
    }

    var advertisement: AirAdvertisement? {
        isLinked ? nil : AirAdvertisement(name: "contract", services: [service.uuid])
    }

    var nextDeadline: Duration? { [script.dropsAt, script.flood?.due].compactMap(\.self).min() }

    mutating func advance(to time: Duration) -> [PeripheralEvent] {
        if let due = script.dropsAt, due <= time {
            endLink()
            return [.linkDropped]
        }
        guard var flood = script.flood, flood.due <= time else { return [] }
        let value = flood.value
        flood.next += 1
        flood.due += .milliseconds(1)
        script.flood = script.isSubscribed && flood.next < flood.count ? flood : nil
        return [.notified(handle: Handle.stream, value)]
    }

    mutating func receive(_ event: CentralEvent, at time: Duration) -> [PeripheralEvent] {
        switch event {
        case .linkOpened(_, let key): return open(key)
        case .linkClosed: endLink()
        case .read(let handle): return answer(reading: handle)
        case .write(Handle.control, let bytes): return obey(bytes, at: time)
        case .write(let handle, let bytes): return answer(writing: bytes, to: handle)
        case .command(let handle, let bytes): count(bytes, at: handle)
        case .subscribed(_, let isOn): script.isSubscribed = isOn
        case .pairingRequested(let canCompare): return pair(canCompare)
        case .comparisonAnswered(matches: true): return confirm(at: time)
        case .comparisonAnswered(matches: false), .pairingCancelled: break
        }
        return []
    }

    // MARK: The link

    private mutating func open(_ key: [UInt8]?) -> [PeripheralEvent] {
        isLinked = true
        isGuarded = key == nil
        guard let key, key != self.key else { return [] }
        isLinked = false
        return [.keyMissing]
    }

    private mutating func endLink() {
        isLinked = false
        isGuarded = true
        script = Script()
        if hasPaired { manner = .compare }
        hasPaired = false
    }

    private mutating func pair(_ canCompare: Bool) -> [PeripheralEvent] {
        hasPaired = true
        switch manner {
        case .refuse: return [.pairingRefused]
        case .justWorks: return bond()
        case .compare, .denyDigits, .neverConfirm, .loseLink:
            guard canCompare else { return [.pairingRefused] }
            passkey = 123_456
            return [.comparison(passkey: passkey)]
        }
    }

    private mutating func confirm(at time: Duration) -> [PeripheralEvent] {
        switch manner {
        case .denyDigits: return [.pairingRefused]
        case .neverConfirm: return []
        case .loseLink:
            script.dropsAt = time + .milliseconds(500)
            return []
        default: return bond()
        }
    }

    private mutating func bond() -> [PeripheralEvent] {
        key = Self.key
        isGuarded = false
        return [.bonded(key: Self.key)]
    }

    // MARK: Values

    private mutating func answer(reading handle: UInt16) -> [PeripheralEvent] {
        switch handle {
        case Handle.control: [.value(counters)]
        case Handle.valueName: [.value(Array("contract/value".utf8))]
        case Handle.value: scripted() ?? [.value(value)]
        case Handle.guarded: isGuarded ? [.refused(code: 0x05)] : [.value(guardedValue)]
        default: [.refused(code: 0x02)]
        }
    }

    private mutating func answer(writing bytes: [UInt8], to handle: UInt16) -> [PeripheralEvent] {
        switch handle {
        case Handle.value:
            if let events = scripted() { return events }
            value = bytes
        case Handle.guarded where isGuarded: return [.refused(code: 0x05)]
        case Handle.guarded: guardedValue = bytes
        default: return [.refused(code: 0x03)]
        }
        return [.written]
    }

    /// What was asked for of the next request to the value, once.
    private mutating func scripted() -> [PeripheralEvent]? {
        defer { (script.isSilent, script.refusal) = (false, nil) }
        if script.isSilent { return [] }
        return script.refusal.map { [.refused(code: $0)] }
    }

    private mutating func count(_ bytes: [UInt8], at handle: UInt16) {
        guard handle == Handle.stream else { return }
        if bytes.count >= 4, Array(bytes.prefix(4)) != script.packets.littleEndianBytes { script.misplaced += 1 }
        script.packets += 1
        script.bytes += UInt32(bytes.count)
        script.longest = max(script.longest, UInt16(clamping: bytes.count))
    }

    private var counters: [UInt8] {
        script.packets.littleEndianBytes + script.bytes.littleEndianBytes + script.longest.littleEndianBytes
            + script.misplaced.littleEndianBytes + passkey.littleEndianBytes
    }

    private mutating func obey(_ bytes: [UInt8], at time: Duration) -> [PeripheralEvent] {
        let arguments = Array(bytes.dropFirst())
        switch bytes.first {
        case 1: script.refusal = arguments.first
        case 2: script.isSilent = true
        case 3: script.dropsAt = time + .milliseconds(arguments.number(at: 0))
        case 4: manner = arguments.first.flatMap(Manner.init) ?? .compare
        case 5:
            script.flood = Flood(
                count: arguments.number(at: 0), length: arguments.number(at: 2), due: time + .milliseconds(1))
        case 6: key = nil
        default:
            script = Script()
            manner = .compare
        }
        return [.written]
    }
}

extension FixedWidthInteger {
    fileprivate var littleEndianBytes: [UInt8] { withUnsafeBytes(of: littleEndian) { Array($0) } }
}

extension [UInt8] {
    /// Two bytes, little endian.
    fileprivate func number(at place: Int) -> Int { Int(self[place]) | Int(self[place + 1]) << 8 }
}

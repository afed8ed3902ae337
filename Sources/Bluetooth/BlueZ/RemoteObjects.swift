import DBus

/// One interface of an object of BlueZ, typed. What is missing at first reads as its weakest value (false, unknown).
protocol RemoteObject: Sendable {
    /// Nil where a property is missing without which the object means nothing.
    init?(path: String, _ properties: Properties)
    mutating func change(_ properties: Properties, invalidated: Set<String>)
}

struct Adapter1: RemoteObject, Hashable {
    let path: String
    let name: AdapterName
    let address: BluetoothAddress
    private(set) var isPowered = false
    /// `PowerState` is `off-blocked`; false where BlueZ has no such property (5.66 has it with `--experimental` alone).
    private(set) var isBlocked = false
    private(set) var isDiscovering = false
    /// Since a scan of this process and until BlueZ says that nobody scans: it says so some time after the last one ended.
    private(set) var scannedHere = false
    private(set) var version: BlueZVersion?

    init?(path: String, _ properties: Properties) {
        guard let last = path.split(separator: "/").last, let name = AdapterName(String(last)),
            let address = properties.address("Address")
        else { return nil }
        self.path = path
        self.name = name
        self.address = address
        change(properties, invalidated: [])
    }

    mutating func change(_ properties: Properties, invalidated: Set<String>) {
        if let value = properties.boolean("Powered") { isPowered = value }
        if let value = properties.text("PowerState") { isBlocked = value == "off-blocked" }
        if let value = properties.boolean("Discovering") {
            isDiscovering = value
            if !value { scannedHere = false }
        }
        if let value = properties.text("Modalias") { version = BlueZVersion(modalias: value) }
        if invalidated.contains("PowerState") { isBlocked = false }
    }

    mutating func noteScan() { scannedHere = true }
}

struct Device1: RemoteObject, Hashable {
    let path: String
    let adapter: String
    private(set) var address: BluetoothAddress
    private(set) var name: String?
    private(set) var rssi: Int16?
    private(set) var isPaired = false
    /// BlueZ before 5.65 has no `Bonded`; what it pairs, it stores.
    private(set) var isBonded = false
    private(set) var isConnected = false
    private(set) var servicesResolved = false
    private(set) var services: Set<BluetoothUUID> = []
    private var reportsBonded = false

    init?(path: String, _ properties: Properties) {
        guard let address = properties.address("Address"), let adapter = properties.path("Adapter") else { return nil }
        self.path = path
        self.adapter = adapter
        self.address = address
        change(properties, invalidated: [])
    }

    mutating func change(_ properties: Properties, invalidated: Set<String>) {
        // A private address becomes the identity address once a bond is made.
        if let value = properties.address("Address") { address = value }
        if let value = properties.text("Name") { name = value }
        if let value = properties.int16("RSSI") { rssi = value }
        if let value = properties.boolean("Connected") { isConnected = value }
        if let value = properties.boolean("ServicesResolved") { servicesResolved = value }
        if let value = properties.uuids("UUIDs") { services = value }
        changeBond(properties)
        if invalidated.contains("RSSI") { rssi = nil }
        if invalidated.contains("Name") { name = nil }
    }

    private mutating func changeBond(_ properties: Properties) {
        if let value = properties.boolean("Paired") { isPaired = value }
        if let value = properties.boolean("Bonded") {
            isBonded = value
            reportsBonded = true
        }
        if !reportsBonded { isBonded = isPaired }
    }

    /// - Parameter wasHeard: whether `RSSI` was reported since the discovery began.
    func sighting(on adapter: AdapterName, wasHeard: Bool) -> Sighting {
        Sighting(
            adapter: adapter, address: address, name: name, rssi: wasHeard ? rssi : nil, isPaired: isPaired,
            isBonded: isBonded, isConnected: isConnected, services: services)
    }
}

struct GattService1: RemoteObject, Hashable {
    let path: String
    let device: String
    let uuid: BluetoothUUID

    init?(path: String, _ properties: Properties) {
        guard let uuid = properties.uuid("UUID"), let device = properties.path("Device") else { return nil }
        self.path = path
        self.device = device
        self.uuid = uuid
    }

    mutating func change(_ properties: Properties, invalidated: Set<String>) {}
}

struct GattCharacteristic1: RemoteObject, Hashable {
    /// The smallest ATT MTU on an LE link (Core specification, Vol 3 Part G 5.2.1).
    static let defaultMTU = 23

    let path: String
    let service: String
    let uuid: BluetoothUUID
    private(set) var properties: Characteristic.Properties = []
    private(set) var maximumTransmissionUnit = defaultMTU
    /// Some program has a descriptor of `AcquireWrite` or `AcquireNotify`.
    private(set) var isAcquired = false
    private var acquisitions: Set<String> = []

    init?(path: String, _ properties: Properties) {
        guard let uuid = properties.uuid("UUID"), let service = properties.path("Service") else { return nil }
        self.path = path
        self.service = service
        self.uuid = uuid
        change(properties, invalidated: [])
    }

    mutating func change(_ changed: Properties, invalidated: Set<String>) {
        if let flags = changed.texts("Flags") {
            properties = flags.reduce(into: []) { $0.formUnion(Self.flags[$1] ?? []) }
        }
        if let value = changed.uint16("MTU") { maximumTransmissionUnit = max(Int(value), Self.defaultMTU) }
        if invalidated.contains("MTU") { maximumTransmissionUnit = Self.defaultMTU }
        for name in ["WriteAcquired", "NotifyAcquired"] {
            if let value = changed.boolean(name) {
                if value { acquisitions.insert(name) } else { acquisitions.remove(name) }
            }
        }
        isAcquired = !acquisitions.isEmpty
    }

    private static let flags: [String: Characteristic.Properties] = [
        "read": .read, "write": .write, "write-without-response": .writeWithoutResponse, "notify": .notify,
        "indicate": .indicate,
    ]
}

struct GattDescriptor1: RemoteObject, Hashable {
    let path: String
    let characteristic: String
    let uuid: BluetoothUUID

    init?(path: String, _ properties: Properties) {
        guard let uuid = properties.uuid("UUID"), let characteristic = properties.path("Characteristic")
        else { return nil }
        self.path = path
        self.characteristic = characteristic
        self.uuid = uuid
    }

    mutating func change(_ properties: Properties, invalidated: Set<String>) {}
}

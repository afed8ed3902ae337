import DBus

/// One adapter, and who discovers on it.
struct AdapterState: Sendable {
    let path: String
    let address: String
    var isPowered: Bool
    var isBlocked: Bool
    /// Of the clients that discover, by their unique names; nil is a client without a filter.
    var discoveries: [String: DiscoveryFilter?] = [:]
    /// Set before the discovery started.
    var presetFilters: [String: DiscoveryFilter] = [:]

    /// BlueZ tells of a device that any client's filter lets through.
    func accepts(_ advertisement: AirAdvertisement, address: String, signal: Int16) -> Bool {
        discoveries.values.contains { filter in
            filter.map { $0.accepts(advertisement, address: address, signal: signal) } ?? true
        }
    }

    var hasFilterlessDiscovery: Bool { discoveries.values.contains { $0 == nil } }
}

/// `org.bluez.Adapter1`
extension BluetoothDaemon {
    mutating func addAdapter(_ number: Int, address: String) {
        let isBlocked = !faults.isDisjoint(with: [.adapterBlocked, .adapterSoftBlocked, .adapterHardBlocked])
        var adapter = AdapterState(
            path: "/org/bluez/hci\(number)", address: address,
            isPowered: !isBlocked && !faults.contains(.adapterOff), isBlocked: isBlocked)
        if faults.contains(.discoveringElsewhere), adapter.isPowered {
            adapter.discoveries.updateValue(nil, forKey: Self.otherProgram)
            agenda.set(.advertise(adapter: adapters.count), at: now + timing.firstAdvertisement)
        }
        adapters.append(adapter)
        var properties = Self.properties(of: adapter, number)
        if faults.contains(.oldBlueZ) {
            properties["PowerState"] = nil
            // 0x05 and 0x37: 5.55.
            properties["Modalias"] = .string("usb:v1D6Bp0246d0537")
        }
        tree.add(adapter.path, [BlueZInterface.adapter: properties])
    }

    /// Stands for the unique name of a client that never leaves.
    private static let otherProgram = ":other"

    private static func properties(of adapter: AdapterState, _ number: Int) -> ObjectTree.Properties {
        let name = number == 0 ? "espurr-sim" : "espurr-sim #\(number + 1)"
        return [
            "Address": .string(adapter.address), "AddressType": .string("public"), "Name": .string(name),
            "Alias": .string(name), "Class": .uint32(0), "Powered": .boolean(adapter.isPowered),
            "PowerState": .string(adapter.isBlocked ? "off-blocked" : adapter.isPowered ? "on" : "off"),
            "Discoverable": .boolean(false), "DiscoverableTimeout": .uint32(180), "Pairable": .boolean(true),
            "PairableTimeout": .uint32(0), "Discovering": .boolean(!adapter.discoveries.isEmpty),
            "UUIDs": .strings([AssignedService.genericAccess, AssignedService.genericAttribute]),
            "Modalias": .string("usb:v1D6Bp0246d0552"), "Roles": .strings(["central", "peripheral"]),
        ]
    }

    mutating func adapterMethod(_ call: IncomingCall, _ id: CallID) throws(ErrorReply) -> Reply {
        guard let adapter = adapters.firstIndex(where: { $0.path == call.path }) else {
            throw .unknownObject(path: call.path)
        }
        switch (call.member, call.arguments.first) {
        case ("GetDiscoveryFilters", _): return .values([.strings(DiscoveryFilter.names)])
        case ("StartDiscovery", _): try startDiscovery(of: call.sender, on: adapter)
        case ("StopDiscovery", _): try stopDiscovery(of: call.sender, on: adapter)
        case ("SetDiscoveryFilter", let properties?):
            try setFilter(properties.properties ?? [:], of: call.sender, on: adapter)
        case ("RemoveDevice", .objectPath(let path)?): return try removeDevice(path, on: adapter, id)
        default: throw .invalidArguments
        }
        return .done
    }

    // MARK: Power

    mutating func setPower(of path: String, _ isOn: Bool) throws(ErrorReply) {
        guard let adapter = adapters.firstIndex(where: { $0.path == path }) else { throw .unknownObject(path: path) }
        guard adapters[adapter].isPowered != isOn else { return }
        guard !adapters[adapter].isBlocked else { throw .blocked }
        if !isOn { quieten(adapter) }
        adapters[adapter].isPowered = isOn
        setPowerState(of: adapter, to: isOn ? "off-enabling" : "on-disabling")
        announce()
        set("Powered", of: adapter, to: .boolean(isOn))
        setPowerState(of: adapter, to: isOn ? "on" : "off")
    }

    private mutating func setPowerState(of adapter: Int, to text: String) {
        if !faults.contains(.oldBlueZ) { set("PowerState", of: adapter, to: .string(text)) }
    }

    /// Links end, discoveries end, and devices without a bond are forgotten.
    private mutating func quieten(_ adapter: Int) {
        for device in devices.values.filter({ $0.adapter == adapter }).sorted(by: { $0.path < $1.path }) {
            if device.link.isOpening { giveUpOpening(device.path, .failed("le-connection-abort-by-local")) }
            if device.link.isUp { takeDown(device.path) }
            if !device.isBonded { remove(device.path) }
        }
        adapters[adapter].discoveries = [:]
        discoveriesChanged(on: adapter)
    }

    // MARK: Discovery

    private mutating func startDiscovery(of client: String, on adapter: Int) throws(ErrorReply) {
        guard adapters[adapter].isPowered else { throw .notReady }
        guard adapters[adapter].discoveries[client] == nil else { throw .busy }
        let filter = adapters[adapter].presetFilters.removeValue(forKey: client)
        adapters[adapter].discoveries.updateValue(filter, forKey: client)
        agenda.set(.advertise(adapter: adapter), at: now + timing.firstAdvertisement)
        set("Discovering", of: adapter, to: .boolean(true))
    }

    private mutating func stopDiscovery(of client: String, on adapter: Int) throws(ErrorReply) {
        guard adapters[adapter].isPowered else { throw .notReady }
        guard adapters[adapter].discoveries[client] != nil else { throw .failed("No discovery started") }
        endDiscovery(of: client, on: adapter)
    }

    private mutating func setFilter(
        _ properties: [String: DBusValue], of client: String, on adapter: Int
    ) throws(ErrorReply) {
        guard adapters[adapter].isPowered else { throw .notReady }
        let filter = try DiscoveryFilter(properties)
        if adapters[adapter].discoveries[client] != nil {
            adapters[adapter].discoveries.updateValue(filter, forKey: client)
        } else {
            adapters[adapter].presetFilters[client] = filter
        }
    }

    /// A discovery belongs to the connection that started it.
    mutating func endDiscovery(of client: String, on adapter: Int) {
        adapters[adapter].presetFilters[client] = nil
        guard adapters[adapter].discoveries.removeValue(forKey: client) != nil else { return }
        discoveriesChanged(on: adapter)
    }

    private mutating func discoveriesChanged(on adapter: Int) {
        guard adapters[adapter].discoveries.isEmpty else { return }
        agenda.cancel(.advertise(adapter: adapter))
        for device in devices.values where device.adapter == adapter { set("RSSI", of: device.path, to: nil) }
        set("Discovering", of: adapter, to: .boolean(false))
    }

    private mutating func set(_ property: String, of adapter: Int, to value: DBusValue?) {
        tree.set(property, of: BlueZInterface.adapter, at: adapters[adapter].path, to: value)
    }
}

/// Services that the Bluetooth SIG has numbered.
enum AssignedService {
    static let genericAccess = "00001800-0000-1000-8000-00805f9b34fb"
    static let genericAttribute = "00001801-0000-1000-8000-00805f9b34fb"
}

import DBus

/// What a discovery hears, and how long it is remembered.
extension BluetoothDaemon {
    mutating func hearAll(on adapter: Int) {
        for peripheral in peripherals.indices { hear(peripheral, on: adapter) }
        agenda.set(.advertise(adapter: adapter), at: now + timing.advertisingInterval)
    }

    private mutating func hear(_ number: Int, on adapter: Int) {
        let peripheral = peripherals[number]
        guard let advertisement = audibleAdvertisement(of: number) else { return }
        let signal = signalStrength(of: number)
        guard adapters[adapter].accepts(advertisement, address: peripheral.address, signal: signal) else { return }
        let path = devicePath(of: number, on: adapter)
        if devices[path] == nil {
            addDevice(number, on: adapter, advertisement, signal: signal)
        } else {
            update(path, advertisement, signal: signal)
        }
        forgetLater(path)
    }

    /// Nil where the peripheral advertises nothing, or is out of range.
    func audibleAdvertisement(of peripheral: Int) -> AirAdvertisement? {
        faults.contains(.absent) ? nil : peripherals[peripheral].advertisement
    }

    /// Some dBm that differ from pair to pair and waver a little, the same in every run.
    private func signalStrength(of peripheral: Int) -> Int16 {
        let waver = Int16(now.components.seconds % 4) * 3
        return -48 - 7 * Int16(peripheral % 6) - waver
    }

    private mutating func update(_ path: String, _ advertisement: AirAdvertisement, signal: Int16) {
        set("Name", of: path, to: .string(advertisement.name))
        set("Alias", of: path, to: .string(advertisement.name))
        var old: Int16?
        if case .int16(let value)? = tree.value("RSSI", of: BlueZInterface.device, at: path) { old = value }
        let adapter = devices[path]?.adapter ?? 0
        let isStep = old.map { abs($0 - signal) >= DaemonLimit.signalStep } ?? true
        // A filter lifts the threshold, unless a client without one discovers too.
        if isStep || !adapters[adapter].hasFilterlessDiscovery { set("RSSI", of: path, to: .int16(signal)) }
    }

    func devicePath(of peripheral: Int, on adapter: Int) -> String {
        adapters[adapter].path + "/dev_" + peripherals[peripheral].address.replacing(":", with: "_")
    }

    /// - Parameter signal: in dBm; nil where the device is known from a bond and was not heard.
    mutating func addDevice(
        _ number: Int, on adapter: Int, _ advertisement: AirAdvertisement?, signal: Int16?, key: [UInt8]? = nil
    ) {
        let address = peripherals[number].address
        let path = devicePath(of: number, on: adapter)
        devices[path] = DeviceState(path: path, adapter: adapter, peripheral: number, key: key)
        var properties: ObjectTree.Properties = [
            "Address": .string(address), "AddressType": .string("public"),
            "Alias": .string(advertisement?.name ?? address.replacing(":", with: "-")),
            "Paired": .boolean(key != nil), "Bonded": .boolean(key != nil), "Trusted": .boolean(false),
            "Blocked": .boolean(false), "LegacyPairing": .boolean(false), "Connected": .boolean(false),
            "ServicesResolved": .boolean(false), "UUIDs": .strings(advertisement?.services ?? []),
            "Adapter": .objectPath(adapters[adapter].path), "AdvertisingFlags": .bytes([0x06]),
        ]
        if faults.contains(.oldBlueZ) { properties["Bonded"] = nil }
        properties["Name"] = advertisement.map { .string($0.name) }
        properties["RSSI"] = signal.map(DBusValue.int16)
        tree.add(path, [BlueZInterface.device: properties])
    }

    /// A device without a bond is temporary: its time runs while it is not connected.
    mutating func forgetLater(_ path: String) {
        guard let device = devices[path], !device.isBonded, !device.link.isUp, !device.link.isOpening else {
            return agenda.cancel(.forget(device: path))
        }
        agenda.set(.forget(device: path), at: now + DaemonLimit.temporaryDevice)
    }

    mutating func removeDevice(_ path: String, on adapter: Int, _ id: CallID) throws(ErrorReply) -> Reply {
        guard let device = devices[path], device.adapter == adapter else { throw .doesNotExist }
        guard adapters[adapter].isPowered else { throw .notReady }
        if device.link.isOpening { giveUpOpening(path, .failed("br-connection-canceled")) }
        guard device.link.isUp else {
            remove(path)
            return .done
        }
        devices[path]?.removeCalls.append(id)
        beginDisconnect(path)
        return .later
    }

    /// The device, its bond and everything below it.
    mutating func remove(_ path: String) {
        devices[path] = nil
        tree.remove(path)
        cancelTimers(of: path)
    }

    mutating func set(_ property: String, of device: String, to value: DBusValue?) {
        tree.set(property, of: BlueZInterface.device, at: device, to: value)
    }
}

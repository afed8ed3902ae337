import DBus

/// What `bluetoothd` keeps of a bonded device between two runs.
struct KnownDevice: Hashable, Codable, Sendable {
    var address: String
    var name: String
    var services: [String]
    var key: [UInt8]
}

extension BluetoothDaemon {
    /// Takes a bond up again, as at the daemon's start. One of a peripheral that is not here is left alone.
    mutating func restore(_ known: KnownDevice, onAdapter address: String) {
        guard let adapter = adapters.firstIndex(where: { $0.address == address }),
            let peripheral = peripherals.firstIndex(where: { $0.address == known.address })
        else { return }
        let advertisement = AirAdvertisement(name: known.name, services: known.services)
        addDevice(peripheral, on: adapter, advertisement, signal: nil, key: known.key)
        if faults.contains(.staleCache) { rememberOtherServices(of: devicePath(of: peripheral, on: adapter)) }
        _ = tree.takeSignals()
    }

    /// BlueZ reconnects known devices by itself.
    mutating func connectKnownDevices() {
        for path in devices.keys.sorted() where devices[path]?.isBonded == true { open(path) }
    }

    /// Of every bonded device, by the adapter's address.
    var knownDevices: [String: [KnownDevice]] {
        let bonded = devices.values.filter(\.isBonded).sorted { $0.path < $1.path }
        return Dictionary(grouping: bonded) { adapters[$0.adapter].address }.mapValues { $0.map(known) }
    }

    private func known(_ device: DeviceState) -> KnownDevice {
        var name = ""
        if case .string(let text)? = tree.value("Name", of: BlueZInterface.device, at: device.path) { name = text }
        let peripheral = peripherals[device.peripheral]
        return KnownDevice(
            address: peripheral.address, name: name, services: [peripheral.service.uuid], key: device.key ?? [])
    }
}

/// Questions to the tree. All lists are in the order of their paths, which for GATT is the order of the handles.
extension ObjectTree {
    var sortedAdapters: [Adapter1] {
        adapters.values.sorted { ($0.path.utf8.count, $0.path) < ($1.path.utf8.count, $1.path) }
    }

    func adapter(named name: AdapterName) -> Adapter1? { adapters.values.first { $0.name == name } }

    func devices(with service: BluetoothUUID, on adapter: Adapter1) -> [Device1] {
        devices.values.filter { $0.adapter == adapter.path && $0.services.contains(service) }
            .sorted { $0.path < $1.path }
    }

    func device(_ address: BluetoothAddress, on adapter: Adapter1) -> Device1? {
        devices.values.filter { $0.adapter == adapter.path && $0.address == address }.min { $0.path < $1.path }
    }

    /// - Returns: nil where the device has no such service.
    func characteristics(of service: BluetoothUUID, at device: String) -> [Characteristic]? {
        let paths = Set(services.values.filter { $0.device == device && $0.uuid == service }.map(\.path))
        guard !paths.isEmpty else { return nil }
        return characteristics.values.filter { paths.contains($0.service) }.sorted { $0.path < $1.path }
            .map(characteristic)
    }

    func descriptor(_ uuid: BluetoothUUID, of characteristic: String) -> GattDescriptor1? {
        descriptors.values.filter { $0.characteristic == characteristic && $0.uuid == uuid }.min { $0.path < $1.path }
    }

    /// Whether a characteristic of this path hangs on this device.
    func contains(_ characteristic: String, at device: String) -> Bool {
        characteristics[characteristic].flatMap { services[$0.service] }?.device == device
    }

    private func characteristic(_ object: GattCharacteristic1) -> Characteristic {
        let descriptors = descriptors.values.filter { $0.characteristic == object.path }.map(\.uuid)
        return Characteristic(
            uuid: object.uuid, properties: object.properties, descriptors: Set(descriptors),
            maximumTransmissionUnit: object.maximumTransmissionUnit, handle: object.path)
    }
}

extension ObjectTree {
    /// What BlueZ says of an adapter, and the kernel of its switch.
    func adapter(_ object: Adapter1) -> Adapter {
        Adapter(
            name: object.name, address: object.address, isPowered: object.isPowered, block: block(of: object),
            isDiscovering: object.isDiscovering && !object.scannedHere, daemonVersion: object.version)
    }

    /// A powered adapter is not blocked, whatever a file says.
    func block(of adapter: Adapter1) -> RadioBlock? {
        if adapter.isPowered, !adapter.isBlocked { return nil }
        return radio.block(of: adapter.name) ?? (adapter.isBlocked ? .unknown : nil)
    }
}

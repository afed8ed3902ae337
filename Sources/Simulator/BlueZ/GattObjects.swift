import DBus

/// The objects of a connected device's services.
extension BluetoothDaemon {
    mutating func servicesResolved(_ path: String) {
        guard let device = devices[path], device.link.isUp else { return }
        let peripheral = peripherals[device.peripheral]
        let isMissing = tree[Self.path(of: peripheral.service, below: path)] == nil
        if isMissing, !device.hasStaleCache { export(peripheral.service, of: path) }
        if faults.contains(.heldElsewhere) { acquireAll(of: path) }
        setMTU(of: path, to: peripheral.maximumTransmissionUnit)
        let services = [AssignedService.genericAccess, AssignedService.genericAttribute, peripheral.service.uuid]
        set("UUIDs", of: path, to: .strings(services))
        set("ServicesResolved", of: path, to: .boolean(true))
        if let call = devices[path]?.connectCall.take() { answer(call, .values([])) }
    }

    /// As after a change of mode that BlueZ did not notice: the table of another firmware, kept with the bond.
    mutating func rememberOtherServices(of device: String) {
        devices[device]?.hasStaleCache = true
        let information = "0000180a-0000-1000-8000-00805f9b34fb"
        export(AirService(uuid: information, handle: 0x0010, characteristics: []), of: device)
    }

    /// By a program that never lets go.
    private mutating func acquireAll(of device: String) {
        for path in characteristicPaths(below: device) {
            tree.set("WriteAcquired", of: BlueZInterface.characteristic, at: path, to: .boolean(true))
        }
    }

    /// BlueZ has the link's MTU while the link is up, and signals neither its coming nor its going.
    mutating func setMTU(of device: String, to unit: UInt16?) {
        for characteristic in characteristicPaths(below: device) {
            tree.setInSilence(
                "MTU", of: BlueZInterface.characteristic, at: characteristic, to: unit.map(DBusValue.uint16))
        }
    }

    private func characteristicPaths(below device: String) -> [String] {
        tree.objects.keys.filter { $0.hasPrefix(device + "/") && tree[$0]?[BlueZInterface.characteristic] != nil }
            .sorted()
    }

    private mutating func export(_ service: AirService, of device: String) {
        let path = Self.path(of: service, below: device)
        tree.add(
            path,
            [
                BlueZInterface.service: [
                    "UUID": .string(service.uuid), "Device": .objectPath(device), "Primary": .boolean(true),
                    "Includes": .array(element: "o", []),
                ]
            ])
        for characteristic in service.characteristics { export(characteristic, of: path) }
    }

    private mutating func export(_ characteristic: AirCharacteristic, of service: String) {
        let path = service + "/char" + characteristic.handle.fourDigits
        var properties: ObjectTree.Properties = [
            "UUID": .string(characteristic.uuid), "Service": .objectPath(service), "Value": .bytes([]),
            "Flags": .strings(characteristic.flags),
        ]
        for kind in [AcquiredStream.Kind.writes, .notifications] where characteristic.flags.contains(kind.flag) {
            properties[kind.property] = .boolean(false)
        }
        tree.add(path, [BlueZInterface.characteristic: properties])
        for descriptor in characteristic.descriptors {
            tree.add(
                path + "/desc" + descriptor.handle.fourDigits,
                [
                    BlueZInterface.descriptor: [
                        "UUID": .string(descriptor.uuid), "Characteristic": .objectPath(path), "Value": .bytes([]),
                    ]
                ])
        }
    }

    private static func path(of service: AirService, below device: String) -> String {
        device + "/service" + service.handle.fourDigits
    }

    /// The handle that a request to this object goes to, and the properties of its characteristic.
    func attribute(at path: String) -> (handle: UInt16, flags: [String], device: String)? {
        let parts = path.split(separator: "/")
        guard parts.count >= 6, let device = devices["/" + parts.prefix(4).joined(separator: "/")] else { return nil }
        let characteristics = peripherals[device.peripheral].service.characteristics
        guard let characteristic = characteristics.first(where: { "char" + $0.handle.fourDigits == parts[5] }) else {
            return nil
        }
        guard parts.count > 6 else { return (characteristic.valueHandle, characteristic.flags, device.path) }
        return characteristic.descriptors.first { "desc" + $0.handle.fourDigits == parts[6] }
            .map { ($0.handle, ["read"], device.path) }
    }
}

extension UInt16 {
    /// As BlueZ writes handles in paths: `001f`.
    fileprivate var fourDigits: String {
        let digits = String(self, radix: 16)
        return String(repeating: "0", count: 4 - digits.count) + digits
    }
}

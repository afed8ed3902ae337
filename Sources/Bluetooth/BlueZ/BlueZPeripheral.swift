import DBus

/// One link to a device. A link that BlueZ makes later to the same device is another one.
struct BlueZPeripheral: Peripheral {
    /// The longest attribute value (Core specification, Vol 3 Part F 3.2.9). BlueZ cuts longer ones in silence.
    static let maximumValueLength = 512

    let address: BluetoothAddress
    let adapter: AdapterName
    let device: Device1
    let link: UInt64
    let objects: BlueZObjects

    func isBonded() async throws(BluetoothError) -> Bool {
        try await objects.open()
        return await objects.tree.devices[device.path]?.isBonded ?? false
    }

    func characteristics(of service: BluetoothUUID) async throws(BluetoothError) -> [Characteristic] {
        let tree = await objects.tree
        guard tree.isUp(link, to: device.path) else { throw .linkLost(during: .resolveServices) }
        guard var found = tree.characteristics(of: service, at: device.path) else { throw .missingService(service) }
        guard let unit = try await maximumTransmissionUnit(at: found.first?.handle) else { return found }
        for index in found.indices { found[index].maximumTransmissionUnit = unit }
        return found
    }

    /// Of the link, asked at one of its characteristics: BlueZ has this property only while the link is up, and does
    /// not signal it (seen with 5.82).
    ///
    /// - Returns: nil where BlueZ does not say.
    private func maximumTransmissionUnit(at path: String?) async throws(BluetoothError) -> Int? {
        guard let path else { return nil }
        do throws(BluetoothError) {
            let get = GATTStep(.resolveServices) { _ throws(BluetoothError) in
                GATTCall(
                    operation: .resolveServices, member: "Get", interface: BlueZName.properties, path: path,
                    arguments: [.string(BlueZName.characteristic), .string("MTU")])
            }
            let values = try await perform(get, within: objects.limits.answer)
            guard case .variant(.uint16(let unit))? = values.first else { return nil }
            return max(Int(unit), GattCharacteristic1.defaultMTU)
        } catch .unexpected {
            return nil
        }
    }

    func readDescriptor(
        _ descriptor: BluetoothUUID, of characteristic: Characteristic, deadline: Duration
    ) async throws(BluetoothError) -> [UInt8] {
        let step = GATTStep(.readDescriptor) { tree throws(BluetoothError) in
            let owner = try tree.characteristic(characteristic, at: device.path)
            guard let found = tree.descriptor(descriptor, of: owner.path) else { throw .rejected(.readDescriptor) }
            return GATTCall(
                operation: .readDescriptor, member: Self.readValue, interface: BlueZName.descriptor, path: found.path,
                arguments: [.noProperties])
        }
        return try Self.value(try await perform(step, within: deadline), of: .readDescriptor)
    }

    func read(_ characteristic: Characteristic, deadline: Duration) async throws(BluetoothError) -> [UInt8] {
        try Self.value(try await perform(reading(characteristic), within: deadline), of: .read)
    }

    private func reading(_ characteristic: Characteristic) -> GATTStep {
        GATTStep(.read) { tree throws(BluetoothError) in
            let object = try tree.characteristic(characteristic, at: device.path)
            guard object.properties.contains(.read) else { throw .rejected(.read) }
            return GATTCall(
                operation: .read, member: Self.readValue, interface: BlueZName.characteristic, path: object.path,
                arguments: [.noProperties])
        }
    }

    func write(
        _ value: [UInt8], to characteristic: Characteristic, deadline: Duration
    ) async throws(BluetoothError) {
        _ = try await perform(writing(value, to: characteristic), within: deadline)
    }

    private func writing(_ value: [UInt8], to characteristic: Characteristic) -> GATTStep {
        GATTStep(.write) { tree throws(BluetoothError) in
            let object = try tree.characteristic(characteristic, at: device.path)
            guard value.count <= Self.maximumValueLength, object.properties.contains(.write) else {
                throw .rejected(.write)
            }
            return GATTCall(
                operation: .write, member: "WriteValue", interface: BlueZName.characteristic, path: object.path,
                arguments: [.bytes(value), Self.asRequest])
        }
    }

    func exchange(
        _ value: [UInt8], with characteristic: Characteristic, deadline: Duration, overlapping: Bool
    ) async throws(BluetoothError) -> [UInt8] {
        if Task.isCancelled { throw .cancelled }
        // Between the parts of a long write the read would come before its end.
        let isOnePacket = value.count <= characteristic.maximumTransmissionUnit - Self.valueHeader
        let values = try await perform(
            writing(value, to: characteristic), reading(characteristic),
            in: overlapping && isOnePacket ? .overlapping : .sequence, within: deadline, heeding: .patiently)
        return try Self.value(values, of: .read)
    }

    private static let readValue = "ReadValue"

    /// The `ay` that `ReadValue` answers.
    private static func value(
        _ values: [DBusValue], of operation: BluetoothError.Operation
    ) throws(BluetoothError) -> [UInt8] {
        guard case .bytes(let bytes)? = values.first, bytes.count <= maximumValueLength else {
            throw .unexpected(name: readValue, message: "a reply of another type", during: operation)
        }
        return bytes
    }

    func running<Value, Failure: Error>(
        _ body: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value { try await EventLoop.running(body) }

    func linkEnded() async {
        let (path, link) = (device.path, link)
        _ = try? await objects.wait { $0.isUp(link, to: path) ? nil : true }
    }

    func disconnect() async throws(BluetoothError) {
        guard await objects.tree.isUp(link, to: device.path) else { return }
        let deadline = Deadline(objects.limits.disconnect, on: objects.clock)
        do {
            _ = try await objects.callToEnd(
                "Disconnect", of: BlueZName.device, at: device.path, within: deadline.limit)
        } catch {
            guard await objects.tree.isUp(link, to: device.path) else { return }
            if case .remote(BlueZErrorName.notConnected, _) = error { return }
            throw BluetoothError(error, await objects.situation(.disconnect, deadline.limit, at: device))
        }
        // BlueZ 5.66 still reads as connected when it has answered.
        let ended: Void? = await race(within: deadline.remaining, on: objects.clock) { await linkEnded() }
        if Task.isCancelled { throw .cancelled }
        if ended == nil { throw .deadline(.disconnect, after: deadline.limit) }
    }

    /// Of a write that is answered (org.bluez.GattCharacteristic(5), WriteValue).
    private static let asRequest = DBusValue.properties(["type": .string("request")])
}

extension ObjectTree {
    func isUp(_ link: UInt64, to device: String) -> Bool { self.link(of: device) == Link(number: link, isUp: true) }

    /// - Throws: ``BluetoothError/missingCharacteristic(_:)`` for one that is not there (any more), or not this
    ///   device's.
    func characteristic(
        _ characteristic: Characteristic, at device: String
    ) throws(BluetoothError) -> GattCharacteristic1 {
        guard contains(characteristic.handle, at: device), let object = characteristics[characteristic.handle],
            object.uuid == characteristic.uuid
        else { throw .missingCharacteristic(characteristic.uuid) }
        return object
    }
}

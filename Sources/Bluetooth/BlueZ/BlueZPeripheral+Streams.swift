import DBus

extension BlueZPeripheral {
    func openWrites(
        to characteristic: Characteristic, deadline: Duration
    ) async throws(BluetoothError) -> any WriteStream {
        let (descriptor, unit) = try await acquire(
            "AcquireWrite", of: characteristic, having: .writeWithoutResponse, .openWrites, deadline)
        return BlueZWriteStream(
            maximumLength: min(unit - Self.valueHeader, Self.maximumValueLength),
            packets: await OutgoingPackets(descriptor), peripheral: self)
    }

    func openNotifications(
        of characteristic: Characteristic, deadline: Duration
    ) async throws(BluetoothError) -> any NotificationStream {
        let (descriptor, unit) = try await acquire(
            "AcquireNotify", of: characteristic, having: .notify, .openNotifications, deadline)
        let longest = unit - Self.valueHeader
        let packets = await IncomingPackets(descriptor, longest: longest, limit: objects.limits.unreadNotifications)
        return BlueZNotificationStream(maximumLength: longest, packets: packets, peripheral: self)
    }

    /// Opcode and handle of a write or a notification (Core specification, Vol 3 Part F 3.4.5.1, 3.4.5.3, 3.4.7.1).
    static let valueHeader = 3

    /// The descriptor and the MTU (`hq`) that AcquireWrite and AcquireNotify answer.
    private func acquire(
        _ member: String, of characteristic: Characteristic, having property: Characteristic.Properties,
        _ operation: BluetoothError.Operation, _ deadline: Duration
    ) async throws(BluetoothError) -> (OwnedDescriptor, unit: Int) {
        let step = GATTStep(operation) { tree throws(BluetoothError) in
            let object = try tree.characteristic(characteristic, at: device.path)
            guard object.properties.isSuperset(of: property) else { throw .rejected(operation) }
            return GATTCall(
                operation: operation, member: member, interface: BlueZName.characteristic, path: object.path,
                arguments: [.noProperties])
        }
        let values = try await perform(step, within: deadline)
        guard values.count == 2, case .fileDescriptor(let descriptor) = values[0], case .uint16(let unit) = values[1]
        else { throw .unexpected(name: member, message: "a reply of another type", during: operation) }
        return (descriptor, max(Int(unit), GattCharacteristic1.defaultMTU))
    }

    /// BlueZ closes its end when the link goes, and tells of the link about then.
    func error(of end: PacketEnd, during operation: BluetoothError.Operation) async -> BluetoothError {
        switch end {
        case .closedHere: return .cancelled
        case .overflow(let limit): return .notificationsLost(limit: limit)
        case .tooLong(let count): return .unexpected(name: "packet", message: "\(count) bytes", during: operation)
        case .failed(let number): return .unexpected(name: "errno", message: "\(number)", during: operation)
        case .hungUp:
            let ended: Void? = await race(within: objects.limits.settle, on: objects.clock) { await linkEnded() }
            if ended != nil { return .linkLost(during: operation) }
            return .unexpected(name: "end of stream", message: "BlueZ closed it, the link is up", during: operation)
        }
    }
}

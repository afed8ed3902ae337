import DBus

extension BlueZPeripheral {
    func openWrites(
        to characteristic: Characteristic, deadline: Duration
    ) async throws(BluetoothError) -> any WriteStream {
        let object = try await linked(.openWrites).characteristic(characteristic, at: device.path)
        guard object.properties.contains(.writeWithoutResponse) else { throw .rejected(.openWrites) }
        let call = Self.acquiring("AcquireWrite", at: object.path, .openWrites)
        let (descriptor, unit) = try await perform(call, within: deadline).descriptor(of: call)
        return BlueZWriteStream(
            maximumLength: min(unit - Self.valueHeader, Self.maximumValueLength),
            packets: await OutgoingPackets(descriptor), peripheral: self)
    }

    func openNotifications(
        of characteristic: Characteristic, deadline: Duration
    ) async throws(BluetoothError) -> any NotificationStream {
        let object = try await linked(.openNotifications).characteristic(characteristic, at: device.path)
        guard object.properties.contains(.notify) else { throw .rejected(.openNotifications) }
        let call = Self.acquiring("AcquireNotify", at: object.path, .openNotifications)
        let (descriptor, unit) = try await perform(call, within: deadline).descriptor(of: call)
        let longest = unit - Self.valueHeader
        let packets = await IncomingPackets(descriptor, longest: longest, limit: objects.limits.unreadNotifications)
        return BlueZNotificationStream(maximumLength: longest, packets: packets, peripheral: self)
    }

    /// Opcode and handle of a write command or a notification (Core specification, Vol 3 Part F 3.4.5.3, 3.4.7.1).
    private static let valueHeader = 3

    private static func acquiring(_ member: String, at path: String, _ operation: BluetoothError.Operation) -> GATTCall
    {
        GATTCall(
            operation: operation, member: member, interface: BlueZName.characteristic, path: path,
            arguments: [noOptions])
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

extension [DBusValue] {
    /// The descriptor and the MTU (`hq`) that AcquireWrite and AcquireNotify answer.
    fileprivate func descriptor(of call: GATTCall) throws(BluetoothError) -> (OwnedDescriptor, unit: Int) {
        guard count == 2, case .fileDescriptor(let descriptor) = self[0], case .uint16(let unit) = self[1] else {
            throw .unexpected(name: call.member, message: "a reply of another type", during: call.operation)
        }
        return (descriptor, Swift.max(Int(unit), GattCharacteristic1.defaultMTU))
    }
}

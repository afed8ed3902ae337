import Bluetooth
import ControlProtocol
import EarsInVirtualTime
import Simulator
import Synchronization

/// This machine's side, which connects within a moment.
struct LinkCentral: ConnectingCentral {
    let world: LinkWorld
    static let adapter = AdapterName("hci0")
    private static let connection = Duration.milliseconds(100)

    func connect(
        to device: BluetoothAddress, on adapter: AdapterName, deadline: Duration
    ) async throws(BluetoothError) -> any Peripheral {
        let start = world.time.elapsed
        while world.time.elapsed - start < deadline, !world.state.withLock(\.isOver) {
            await world.time.pass(Self.connection)
            if let link = world.connect() {
                return LinkPeripheral(world: world, address: device, adapter: adapter, link: link)
            }
        }
        throw .connectFailed(.notInRange)
    }
}

/// The ears as this machine's Bluetooth shows them, each operation as the packets that it takes.
struct LinkPeripheral: Peripheral {
    let world: LinkWorld
    let address: BluetoothAddress
    let adapter: AdapterName
    let link: Int

    var unit: Int { world.state.withLock(\.ears.settings.maximumTransmissionUnit) }
    var isUp: Bool { world.state.withLock(\.link) == link }

    func isBonded() async throws(BluetoothError) -> Bool { true }

    func characteristics(of service: BluetoothUUID) async throws(BluetoothError) -> [Characteristic] {
        world.state.withLock(\.ears.ears.gatt).characteristics(maximumTransmissionUnit: unit)
    }

    func readDescriptor(
        _ descriptor: BluetoothUUID, of characteristic: Characteristic, deadline: Duration
    ) async throws(BluetoothError) -> [UInt8] {
        try value(of: await ask(.readName(endpoint(characteristic)), .readDescriptor), .readDescriptor)
    }

    func read(_ characteristic: Characteristic, deadline: Duration) async throws(BluetoothError) -> [UInt8] {
        let endpoint = try endpoint(characteristic)
        let unit = unit
        var value = try value(of: await ask(.read(endpoint), .read), .read)
        // A packet that is full may not have been all.
        while value.count % (unit - 1) == 0, !value.isEmpty {
            let rest = try self.value(of: await ask(.readBlob(endpoint, offset: value.count), .read), .read)
            guard !rest.isEmpty else { break }
            value += rest
        }
        return value
    }

    func write(
        _ value: [UInt8], to characteristic: Characteristic, deadline: Duration
    ) async throws(BluetoothError) {
        let endpoint = try endpoint(characteristic)
        let unit = unit
        guard value.count > unit - 3 else {
            _ = try await ask(.write(endpoint, value), .write)
            return
        }
        for start in stride(from: 0, to: value.count, by: unit - 5) {
            let part = Array(value[start..<min(value.count, start + unit - 5)])
            _ = try await ask(.prepareWrite(endpoint, part: part), .write)
        }
        _ = try await ask(.executeWrite, .write)
    }

    func openWrites(
        to characteristic: Characteristic, deadline: Duration
    ) async throws(BluetoothError) -> any WriteStream {
        LinkWrites(peripheral: self)
    }

    func openNotifications(
        of characteristic: Characteristic, deadline: Duration
    ) async throws(BluetoothError) -> any NotificationStream {
        _ = try await ask(.subscribe(true), .openNotifications)
        return LinkNotifications(peripheral: self)
    }

    /// Looked at now and then: only the restart waits for it.
    func linkEnded() async {
        while isUp, !Task.isCancelled { await world.time.pass(.milliseconds(50)) }
    }

    func disconnect() async throws(BluetoothError) {
        if isUp { world.disconnect() }
    }

    func ask(
        _ request: AttributeRequest, _ operation: BluetoothError.Operation
    ) async throws(BluetoothError) -> AttributeReply {
        guard let reply = await world.ask(request, over: link) else { throw .linkLost(during: operation) }
        if case .refused(let error) = reply { throw GATTFailure.attribute(error).bluetooth(during: operation) }
        return reply
    }

    private func endpoint(_ characteristic: Characteristic) throws(BluetoothError) -> EndpointName {
        guard let endpoint = EndpointName(rawValue: characteristic.handle) else { throw .rejected(.write) }
        return endpoint
    }

    private func value(
        of reply: AttributeReply, _ operation: BluetoothError.Operation
    ) throws(BluetoothError) -> [UInt8] {
        guard case .value(let value) = reply else { throw .rejected(operation) }
        return value
    }
}

/// Handed over at once, as BlueZ takes them.
struct LinkWrites: WriteStream {
    let peripheral: LinkPeripheral

    var maximumLength: Int { peripheral.world.state.withLock(\.ears.settings.longestCommand) }

    func write(_ value: [UInt8], deadline: Duration) async throws(BluetoothError) {
        guard peripheral.isUp else { throw .linkLost(during: .writeWithoutResponse) }
        guard (1...maximumLength).contains(value.count) else { throw .rejected(.writeWithoutResponse) }
        peripheral.world.send(command: value)
    }

    func close() async {}
}

struct LinkNotifications: NotificationStream {
    let peripheral: LinkPeripheral

    var maximumLength: Int { peripheral.unit - 3 }

    func next(deadline: Duration) async throws(BluetoothError) -> [UInt8] {
        let world = peripheral.world
        let end = world.time.elapsed + deadline
        while true {
            if let value = world.takeNotification() { return value }
            guard peripheral.isUp else { throw .linkLost(during: .awaitNotification) }
            guard world.time.elapsed < end else { throw .deadline(.awaitNotification, after: deadline) }
            await world.listen(until: end)
        }
    }

    func close() async {
        if peripheral.isUp { _ = await peripheral.world.ask(.subscribe(false), over: peripheral.link) }
    }
}

import DBus

/// BlueZ (5.66 or newer) on the system's message bus.
///
/// Nothing is opened before the first call. No call starts `bluetoothd`; where it is not there, that is the answer.
public struct BlueZCentral: Central {
    let objects: BlueZObjects

    /// - Parameters:
    ///   - busAddress: a D-Bus address; nil is the system bus, or where `DBUS_SYSTEM_BUS_ADDRESS` points.
    ///   - radio: why an adapter is off.
    ///   - clock: decides every deadline.
    public init(
        busAddress: String? = nil, limits: BlueZLimits = BlueZLimits(), radio: RadioSwitches = .none,
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        let address: BusAddress = busAddress.map { .explicit($0) } ?? .system
        objects = BlueZObjects(address: address, limits: limits, radio: radio, clock: clock)
    }

    public func adapters() async throws(BluetoothError) -> [Adapter] {
        try await objects.open()
        let tree = await objects.tree
        return tree.sortedAdapters.map(tree.adapter)
    }

    public func known(
        with service: BluetoothUUID, on adapter: AdapterName?
    ) async throws(BluetoothError) -> [Sighting] {
        try await objects.open()
        let tree = await objects.tree
        let adapters = if let adapter { [try tree.present(adapter)] } else { tree.sortedAdapters }
        return adapters.flatMap { tree.known(with: service, on: $0) }
    }

    public func removeBond(of device: BluetoothAddress, on adapter: AdapterName) async throws(BluetoothError) {
        try await objects.open()
        let known = try await objects.tree.device(device, onPowered: adapter)
        try await objects.remove(known, within: objects.limits.disconnect)
    }
}

extension ObjectTree {
    /// - Throws: ``MachineState/noAdapter`` or ``MachineState/noSuchAdapter(_:present:)``.
    func present(_ name: AdapterName) throws(BluetoothError) -> Adapter1 {
        if let adapter = adapter(named: name) { return adapter }
        let present = sortedAdapters.map(\.name)
        throw .machine(present.isEmpty ? .noAdapter : .noSuchAdapter(name, present: present))
    }

    /// - Throws: what ``present(_:)`` throws, and ``MachineState/adapterOff(_:)`` or
    ///   ``MachineState/adapterBlocked(_:by:)``.
    func powered(_ name: AdapterName) throws(BluetoothError) -> Adapter1 {
        let adapter = try present(name)
        if let block = block(of: adapter) { throw .machine(.adapterBlocked(name, by: block)) }
        guard adapter.isPowered else { throw .machine(.adapterOff(name)) }
        return adapter
    }

    func device(_ address: BluetoothAddress, onPowered name: AdapterName) throws(BluetoothError) -> Device1 {
        guard let device = device(address, on: try powered(name)) else { throw .unknownDevice(address) }
        return device
    }

    /// Connected ones first: BlueZ connects to known devices by itself, and a scan does not show them then.
    func known(with service: BluetoothUUID, on adapter: Adapter1) -> [Sighting] {
        let devices = devices(with: service, on: adapter)
        let connectedFirst = devices.filter(\.isConnected) + devices.filter { !$0.isConnected }
        return connectedFirst.map { $0.sighting(on: adapter.name, wasHeard: false) }
    }
}

extension BlueZObjects {
    /// `RemoveDevice`: the bond, the cache and the link go.
    ///
    /// - Parameter limit: BlueZ ends the link first, and answers then.
    func remove(_ device: Device1, within limit: Duration) async throws(BluetoothError) {
        do {
            _ = try await callToEnd(
                "RemoveDevice", of: BlueZName.adapter, at: device.adapter, [.objectPath(device.path)],
                within: limit)
        } catch {
            throw BluetoothError(error, situation(.removeBond, limit, at: device))
        }
        forget(device.path)
    }

    /// Ends a link, or an attempt at one, whatever became of the task that wanted it.
    nonisolated func disconnectInAnyCase(_ device: Device1) async {
        await Task {
            _ = try? await self.callToEnd(
                "Disconnect", of: BlueZName.device, at: device.path, within: self.limits.cleanup)
        }.value
    }
}

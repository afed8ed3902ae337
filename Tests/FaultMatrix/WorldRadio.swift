import Bluetooth
import ControlProtocol
import EarsInVirtualTime
import Simulator
import Synchronization

/// How long things take on the air.
enum AirTime {
    static let operation: Duration = .milliseconds(20)
    /// A write without response, or a look for a notification.
    static let command: Duration = .milliseconds(5)
    static let connection: Duration = .milliseconds(100)
    /// An ATT transaction that is not answered (Core specification, Vol 3 Part F 3.3.3).
    static let transaction: Duration = .seconds(30)
}

/// This machine's side: the ears are bonded, and are connected to.
struct WorldCentral: ConnectingCentral {
    let world: World
    static let adapter = AdapterName("hci0")

    func connect(
        to device: BluetoothAddress, on adapter: AdapterName, deadline: Duration
    ) async throws(BluetoothError) -> any Peripheral {
        guard !Task.isCancelled else { throw .cancelled }
        switch world.fault(at: .single) {
        case .diesBefore, .diesBetween: await world.die()
        case .diesAfter:
            _ = try? await made(device, adapter, within: deadline)
            await world.die()
        case .requestLost, .stallsIgnored, .stallsCarriedOut:
            await world.time.pass(deadline)
            throw .connectFailed(.notInRange)
        case .replyLost, .linkDropped:
            await world.time.pass(AirTime.connection)
            throw .connectFailed(.aborted(reason: "le-connection-abort-by-local"))
        case .powerLostBefore, .powerLostAfter: world.losePower()
        case .cancelled:
            world.cancelCommand()
            throw .cancelled
        case .replyDuplicated, nil: break
        }
        return try await made(device, adapter, within: deadline)
    }

    private func made(
        _ device: BluetoothAddress, _ adapter: AdapterName, within deadline: Duration
    ) async throws(BluetoothError) -> any Peripheral {
        let start = world.time.elapsed
        while true {
            await world.time.pass(AirTime.connection)
            if let link = world.connect() {
                return WorldPeripheral(world: world, address: device, adapter: adapter, link: link)
            }
            guard world.time.elapsed - start < deadline, !world.state.withLock(\.isOver) else {
                throw .connectFailed(.notInRange)
            }
            guard !Task.isCancelled else { throw .cancelled }
        }
    }
}

extension World {
    func cancelCommand() { state.withLock(\.cancel)() }

    /// The number of the link that is up: a killed command's is taken over, as BlueZ does it.
    func connect() -> Int? {
        act { state, now in
            guard !state.isOver else { return nil }
            if state.link != 0 { return state.link }
            guard state.ears.connect(from: Self.host, at: now), state.ears.encrypt(with: key, at: now) else {
                return nil
            }
            state.lastLink += 1
            state.link = state.lastLink
            return state.link
        }
    }
}

/// One link to the ears.
struct WorldPeripheral: Peripheral {
    let world: World
    let address: BluetoothAddress
    let adapter: AdapterName
    let link: Int

    func isBonded() async throws(BluetoothError) -> Bool { true }

    func characteristics(of service: BluetoothUUID) async throws(BluetoothError) -> [Characteristic] {
        let (table, mtu) = world.state.withLock { ($0.ears.gatt, $0.ears.maximumTransferUnit) }
        return table.characteristics(maximumTransmissionUnit: mtu)
    }

    func readDescriptor(
        _ descriptor: BluetoothUUID, of characteristic: Characteristic, deadline: Duration
    ) async throws(BluetoothError) -> [UInt8] {
        try checkUp(.readDescriptor)
        switch world.fault(at: .single) {
        case nil, .replyDuplicated: break
        case .diesBefore, .diesBetween, .diesAfter: await world.die()
        case .requestLost: try await silence(.readDescriptor)
        case .replyLost, .linkDropped: world.endLink()
        case .powerLostBefore, .powerLostAfter: world.losePower()
        case .stallsIgnored, .stallsCarriedOut:
            await world.time.pass(deadline)
            throw .deadline(.readDescriptor, after: deadline)
        case .cancelled: world.cancelCommand()
        }
        await world.time.pass(AirTime.operation)
        try checkUp(.readDescriptor)
        return Array(characteristic.handle.utf8)
    }

    func write(
        _ value: [UInt8], to characteristic: Characteristic, deadline: Duration
    ) async throws(BluetoothError) {
        try checkUp(.write)
        let fault = world.fault(at: .exchange)
        switch fault {
        case .diesBefore: await world.die()
        case .requestLost: try await silence(.write)
        case .linkDropped: world.endLink()
        case .powerLostBefore: world.losePower()
        case .stallsIgnored:
            await world.time.pass(deadline)
            throw .deadline(.write, after: deadline)
        case .cancelled: world.cancelCommand()
        default: break
        }
        await world.time.pass(AirTime.operation)
        try checkUp(.write)
        try perform(value, on: characteristic, fault)
        switch fault {
        case .diesBetween: await world.die()
        case .stallsCarriedOut:
            await world.time.pass(deadline)
            throw .deadline(.write, after: deadline)
        default: break
        }
    }

    private func perform(
        _ value: [UInt8], on characteristic: Characteristic, _ fault: Fault?
    ) throws(BluetoothError) {
        guard let endpoint = EndpointName(rawValue: characteristic.handle) else { throw .rejected(.write) }
        do throws(GATTFailure) {
            try world.act { state, now throws(GATTFailure) in
                try state.ears.write(value, to: endpoint, at: now)
                state.pendingFault = fault
            }
        } catch { throw error.bluetooth(during: .write) }
    }

    func read(_ characteristic: Characteristic, deadline: Duration) async throws(BluetoothError) -> [UInt8] {
        try checkUp(.read)
        guard let endpoint = EndpointName(rawValue: characteristic.handle) else { throw .rejected(.read) }
        let fault = world.state.withLock { state in
            defer { state.pendingFault = nil }
            return state.pendingFault
        }
        switch fault {
        case .replyLost: world.endLink()
        case .powerLostAfter: world.losePower()
        default: break
        }
        await world.time.pass(AirTime.operation)
        try checkUp(.read)
        let reply: [UInt8]
        do throws(GATTFailure) {
            reply = try world.act { state, now throws(GATTFailure) in
                let reply = try state.ears.read(endpoint, at: now)
                defer { state.replies[endpoint] = reply }
                return fault == .replyDuplicated ? state.replies[endpoint] ?? reply : reply
            }
        } catch { throw error.bluetooth(during: .read) }
        if fault == .diesAfter { await world.die() }
        return reply
    }

    func openWrites(
        to characteristic: Characteristic, deadline: Duration
    ) async throws(BluetoothError) -> any WriteStream {
        try checkUp(.write)
        return WorldWrites(peripheral: self)
    }

    func openNotifications(
        of characteristic: Characteristic, deadline: Duration
    ) async throws(BluetoothError) -> any NotificationStream {
        try checkUp(.read)
        world.act { state, now in state.ears.subscribe(true, at: now) }
        return WorldNotifications(peripheral: self)
    }

    func linkEnded() async {
        let id = world.state.withLock { state in
            state.lastWaiter += 1
            return state.lastWaiter
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = world.state.withLock { state in
                    guard state.link == link, state.cancelledWaiters.remove(id) == nil else { return true }
                    state.linkWaiters.append((id, link, continuation))
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            let waiter = world.state.withLock { state -> CheckedContinuation<Void, Never>? in
                guard let place = state.linkWaiters.firstIndex(where: { $0.id == id }) else {
                    state.cancelledWaiters.insert(id)
                    return nil
                }
                return state.linkWaiters.remove(at: place).continuation
            }
            waiter?.resume()
        }
    }

    func disconnect() async throws(BluetoothError) {
        if isUp { world.endLink() }
    }

    private var isUp: Bool { world.state.withLock { $0.link == link } }

    func checkUp(_ operation: BluetoothError.Operation) throws(BluetoothError) {
        guard isUp else { throw .linkLost(during: operation) }
    }

    /// Nothing comes back, and the link is ended for it.
    private func silence(_ operation: BluetoothError.Operation) async throws(BluetoothError) {
        await world.time.pass(AirTime.transaction)
        if isUp { world.endLink() }
        throw .attribute(code: 0x0E, during: operation)
    }
}

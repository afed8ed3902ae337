import Bluetooth
import ControlProtocol
import EarsInVirtualTime
import Simulator
import Synchronization

/// Writes without response: each is on the air for a moment, and nothing says what became of it.
struct WorldWrites: WriteStream {
    let peripheral: WorldPeripheral

    private var world: World { peripheral.world }
    var maximumLength: Int { world.state.withLock { min($0.ears.maximumTransferUnit - 3, 512) } }

    func write(_ value: [UInt8], deadline: Duration) async throws(BluetoothError) {
        try peripheral.checkUp(.write)
        guard !Task.isCancelled else { throw .cancelled }
        let fault = world.fault(at: .command)
        switch fault {
        case .diesBefore, .diesBetween: await world.die()
        case .linkDropped: world.endLink()
        case .powerLostBefore: world.losePower()
        case .stallsIgnored, .stallsCarriedOut:
            await world.time.pass(deadline)
            throw .deadline(.write, after: deadline)
        case .cancelled: world.cancelCommand()
        default: break
        }
        await world.time.pass(AirTime.command)
        try peripheral.checkUp(.write)
        let times = fault == .requestLost ? 0 : fault == .replyDuplicated ? 2 : 1
        for _ in 0..<times {
            world.act { state, now in state.ears.command(value, to: .updateStream, at: now) }
        }
        if fault == .powerLostAfter { world.losePower() }
        if fault == .diesAfter { await world.die() }
    }

    func close() async {}
}

struct WorldNotifications: NotificationStream {
    let peripheral: WorldPeripheral

    private var world: World { peripheral.world }
    var maximumLength: Int { world.state.withLock { $0.ears.maximumTransferUnit - 3 } }

    func next(deadline: Duration) async throws(BluetoothError) -> [UInt8] {
        let start = world.time.elapsed
        while true {
            if let value = take() { return value }
            try peripheral.checkUp(.read)
            guard !Task.isCancelled else { throw .cancelled }
            guard world.time.elapsed - start < deadline else { throw .deadline(.read, after: deadline) }
            await world.time.pass(AirTime.command)
        }
    }

    private func take() -> [UInt8]? {
        world.state.withLock { state in
            guard state.link == peripheral.link, !state.notifications.isEmpty else { return nil }
            return state.notifications.removeFirst()
        }
    }

    func close() async {
        guard (try? peripheral.checkUp(.read)) != nil else { return }
        world.act { state, now in state.ears.subscribe(false, at: now) }
    }
}

/// What the daemon does by itself: its timers, and what peripherals do.
extension BluetoothDaemon {
    /// Nil where nothing is to come without a call.
    var nextDeadline: Duration? {
        let own = peripherals.compactMap(\.nextDeadline).filter { $0 > now }
        return (own + [agenda.nextDue].compactMap { $0 }).min()
    }

    /// Lets everything happen that is due by `time`, each thing at its own time.
    mutating func run(until time: Duration) {
        while let due = nextDeadline, due <= time {
            now = max(now, due)
            for number in peripherals.indices where peripherals[number].nextDeadline.map({ $0 <= now }) ?? false {
                let events = peripherals[number].advance(to: now)
                handle(events, of: number)
            }
            while let timer = agenda.takeDue(by: now) { fire(timer) }
        }
        now = max(now, time)
    }

    private mutating func fire(_ timer: Timer) {
        switch timer {
        case .advertise(let adapter): hearAll(on: adapter)
        case .reach(let device): reach(device)
        case .resolve(let device): servicesResolved(device)
        case .disconnect(let device), .dropAfterPairing(let device): takeDown(device)
        case .dropStale(let device): dropStale(device)
        case .transmit(let device): transmit(device)
        case .transaction(let device): transactionTimedOut(device)
        case .beginPairing(let device): beginPairing(device)
        case .failPairing(let device): endPairing(of: device, .failed)
        case .pairingTimeout(let device): endPairing(of: device, .timedOut)
        case .forget(let device): remove(device)
        }
    }

    // MARK: The air

    mutating func send(_ event: CentralEvent, to device: String) {
        guard let peripheral = devices[device]?.peripheral else { return }
        send(event, to: peripheral, for: device)
    }

    mutating func send(_ event: CentralEvent, to peripheral: Int, for device: String) {
        let events = peripherals[peripheral].receive(event, at: now)
        handle(events, of: peripheral)
    }

    /// A peripheral has one link at most, so its events belong to the device that is up.
    private mutating func handle(_ events: [PeripheralEvent], of peripheral: Int) {
        for event in events {
            if case .console(let line) = event { print(line, of: peripheral) }
            let connected = devices.values.first { $0.peripheral == peripheral && $0.link.isUp }
            guard let device = connected?.path else { continue }
            handle(event, of: device)
        }
    }

    private mutating func handle(_ event: PeripheralEvent, of device: String) {
        switch event {
        case .value(let value): operationSucceeded(device, value)
        case .written: operationSucceeded(device, nil)
        case .notified(let handle, let value): notified(device, handle: handle, value)
        case .refused(let code): operationRefused(device, code: code)
        case .keyMissing: bondIsStale(device)
        case .comparison(let passkey): compare(passkey, with: device)
        case .bonded(let key): bonded(device, key: key)
        case .pairingRefused: endPairing(of: device, .failed)
        case .linkDropped: linkEnded(device)
        case .console: break
        }
    }
}

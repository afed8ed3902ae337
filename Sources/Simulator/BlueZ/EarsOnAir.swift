import ControlProtocol

/// The simulated ears as a controller meets them.
struct EarsOnAir: AirPeripheral {
    var ears: SimulatedEars
    /// Somebody sits beside them who clicks the button as soon as it is needed.
    let clicksWhenNeeded: Bool

    init(_ ears: SimulatedEars, clicksWhenNeeded: Bool) {
        self.ears = ears
        self.clicksWhenNeeded = clicksWhenNeeded
    }

    var address: String { ears.configuration.address }
    var maximumTransmissionUnit: UInt16 { UInt16(clamping: ears.maximumTransferUnit) }
    var nextDeadline: Duration? { ears.nextDeadline }

    var advertisement: AirAdvertisement? {
        ears.advertisement.map { AirAdvertisement(name: $0.name, services: [$0.serviceUUID]) }
    }

    var service: AirService {
        let characteristics = ears.gatt.characteristics.map { characteristic in
            AirCharacteristic(
                uuid: characteristic.uuid, handle: characteristic.handle,
                flags: characteristic.endpoint.isStream ? ["write-without-response", "notify"] : ["read", "write"],
                descriptors: [
                    AirDescriptor(uuid: GATTTable.NameDescriptor.uuid, handle: characteristic.name.handle)
                ])
        }
        return AirService(
            uuid: ears.gatt.serviceUUID, handle: ears.gatt.serviceHandle, characteristics: characteristics)
    }

    mutating func receive(_ event: CentralEvent, at time: Duration) -> [PeripheralEvent] {
        switch event {
        case .linkOpened(let central, let key): return open(from: central, key, at: time)
        case .linkClosed: ears.disconnect(at: time)
        case .read(let handle): return answer(reading: handle, at: time) + advance(to: time)
        case .write(let handle, let value): return answer(writing: value, to: handle, at: time) + advance(to: time)
        // What has no such property ignores it, as a stack does.
        case .command(let handle, let value):
            if let endpoint = endpoint(of: handle) { ears.command(value, to: endpoint, at: time) }
        case .subscribed(let handle, let isSubscribed):
            if endpoint(of: handle)?.isStream == true { ears.subscribe(isSubscribed, at: time) }
        case .pairingRequested(let canCompare):
            // Without digits the ears refuse: they want protection against a man in the middle.
            guard canCompare || ears.configuration.faults.contains(.justWorks) else { return [.pairingRefused] }
            ears.requestPairing(at: time)
        case .comparisonAnswered(let matches): ears.confirmPairing(matches, at: time)
        case .pairingCancelled: ears.confirmPairing(false, at: time)
        }
        return advance(to: time)
    }

    mutating func advance(to time: Duration) -> [PeripheralEvent] {
        var events: [PeripheralEvent] = []
        for effect in ears.advance(to: time) {
            if effect == .pairing(.clickNeeded), clicksWhenNeeded {
                ears.clickButton(at: time)
                events += advance(to: time)
            } else if case .notification(let endpoint, let value) = effect {
                if let handle = valueHandle(of: endpoint) { events.append(.notified(handle: handle, value)) }
            } else if let event = PeripheralEvent(effect) {
                events.append(event)
            }
        }
        return events
    }

    /// The flash keeps what it has.
    mutating func powerOff(at time: Duration) { ears.powerOff(at: time) }

    private mutating func open(from central: String, _ key: [UInt8]?, at time: Duration) -> [PeripheralEvent] {
        guard ears.connect(from: central, at: time) else { return [.linkDropped] }
        guard let key, !ears.encrypt(with: BondKey(bytes: key), at: time) else { return advance(to: time) }
        // That the ears end such a link is seen on this side a moment later.
        return [.keyMissing] + advance(to: time).filter { $0 != .linkDropped }
    }

    private mutating func answer(reading handle: UInt16, at time: Duration) -> [PeripheralEvent] {
        if let name = ears.gatt.characteristics.map(\.name).first(where: { $0.handle == handle }) {
            return [.value(name.value)]
        }
        guard let endpoint = endpoint(of: handle) else { return [.refused(code: Self.invalidHandle)] }
        do throws(GATTFailure) {
            return [.value(try ears.read(endpoint, at: time))]
        } catch {
            return PeripheralEvent.events(of: error)
        }
    }

    private mutating func answer(
        writing value: [UInt8], to handle: UInt16, at time: Duration
    ) -> [PeripheralEvent] {
        guard let endpoint = endpoint(of: handle) else { return [.refused(code: Self.writeNotPermitted)] }
        do throws(GATTFailure) {
            try ears.write(value, to: endpoint, at: time)
            return [.written]
        } catch {
            return PeripheralEvent.events(of: error)
        }
    }

    /// ATT errors of the stack below the ears (Core specification, Vol 3 Part F 3.4.1.1).
    private static let invalidHandle: UInt8 = 0x01
    private static let writeNotPermitted: UInt8 = 0x03

    private func valueHandle(of endpoint: EndpointName) -> UInt16? {
        ears.gatt.characteristics.first { $0.endpoint == endpoint }.map { $0.handle + 1 }
    }

    private func endpoint(of handle: UInt16) -> EndpointName? {
        ears.gatt.characteristics.first { $0.handle + 1 == handle }?.endpoint
    }
}

extension PeripheralEvent {
    fileprivate init?(_ effect: Effect) {
        switch effect {
        case .linkDropped: self = .linkDropped
        case .serialLine(let line): self = .console(line)
        case .pairing(.comparison(let passkey)): self = .comparison(passkey: passkey)
        case .pairing(.bonded(let key)): self = .bonded(key: key.bytes)
        case .pairing(.failed): self = .pairingRefused
        case .advertisementChanged, .notification, .pairing(.clickNeeded): return nil
        }
    }

    /// That a link was lost comes as an effect of its own; no answer is no event.
    fileprivate static func events(of failure: GATTFailure) -> [PeripheralEvent] {
        switch failure {
        case .attribute(let error): [.refused(code: error.rawValue)]
        case .notConnected: [.linkDropped]
        case .linkLost, .noAnswer: []
        }
    }
}

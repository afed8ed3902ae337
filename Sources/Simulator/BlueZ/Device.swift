import DBus

/// `org.bluez.Device1`: the link.
extension BluetoothDaemon {
    mutating func deviceMethod(_ call: IncomingCall, _ id: CallID) throws(ErrorReply) -> Reply {
        guard let device = devices[call.path] else { throw .unknownObject(path: call.path) }
        switch call.member {
        case "Connect", "ConnectProfile": return try connect(device, id)
        case "Disconnect": return disconnect(device, id)
        case "Pair": return try pair(device, id, client: call.sender)
        case "CancelPairing":
            guard device.pairing != nil else { throw .doesNotExist }
            endPairing(of: device.path, .cancelled)
            return .done
        default: throw .notSupported
        }
    }

    private mutating func connect(_ device: DeviceState, _ id: CallID) throws(ErrorReply) -> Reply {
        guard adapters[device.adapter].isPowered else { throw .notReady }
        guard device.pairing == nil, device.connectCall == nil, !device.link.isOpening else { throw .inProgress }
        if device.link.isUp, !device.isStale { return .done }
        devices[device.path]?.connectCall = id
        open(device.path)
        return .later
    }

    mutating func open(_ path: String) {
        devices[path]?.link = .opening(since: now)
        agenda.cancel(.forget(device: path))
        agenda.set(.reach(device: path), at: now + timing.connect)
    }

    /// The controller tries until the peripheral is heard, or too long.
    mutating func reach(_ path: String) {
        guard let device = devices[path], case .opening(let since) = device.link else { return }
        if audibleAdvertisement(of: device.peripheral) != nil {
            bringUp(device)
        } else if now - since < DaemonLimit.connect {
            agenda.set(.reach(device: path), at: min(now + DaemonLimit.connectRetry, since + DaemonLimit.connect))
        } else {
            giveUpOpening(path, .failed("le-connection-abort-by-local"))
        }
    }

    mutating func giveUpOpening(_ path: String, _ error: ErrorReply) {
        agenda.cancel(.reach(device: path))
        devices[path]?.link = .down
        if let call = devices[path]?.connectCall.take() { fail(call, error) }
        if devices[path]?.pairing != nil { endPairing(of: path, .unreachable) }
        forgetLater(path)
    }

    private mutating func bringUp(_ device: DeviceState) {
        let path = device.path
        devices[path]?.link = .up
        devices[path]?.isStale = false
        set("RSSI", of: path, to: nil)
        set("Connected", of: path, to: .boolean(true))
        announce()
        send(.linkOpened(central: adapters[device.adapter].address, key: device.key), to: path)
        guard let device = devices[path], device.link.isUp, !device.isStale else { return }
        agenda.set(.resolve(device: path), at: now + timing.resolveServices)
        if device.pairing != nil { agenda.set(.beginPairing(device: path), at: now + timing.pair) }
    }

    /// The peripheral does not know the key: Connected flickers, the bond stays on this side, and D-Bus says no cause.
    mutating func bondIsStale(_ path: String) {
        devices[path]?.isStale = true
        agenda.set(.dropStale(device: path), at: now + DaemonLimit.staleBond)
    }

    mutating func dropStale(_ path: String) {
        let count = devices[path]?.staleConnects ?? 0
        devices[path]?.staleConnects = count + 1
        let text = count.isMultiple(of: 2) ? "le-connection-abort-by-local" : "br-connection-canceled"
        let call = devices[path]?.connectCall.take()
        takeDown(path)
        if let call { fail(call, .failed(text)) }
    }

    private mutating func disconnect(_ device: DeviceState, _ id: CallID) -> Reply {
        if device.pairing != nil { endPairing(of: device.path, .cancelled) }
        if device.link.isOpening { giveUpOpening(device.path, .failed("br-connection-canceled")) }
        guard device.link.isUp else { return .done }
        beginDisconnect(device.path)
        guard !faults.contains(.earlyDisconnect) else { return .done }
        devices[device.path]?.disconnectCalls.append(id)
        return .later
    }

    mutating func beginDisconnect(_ path: String) {
        guard devices[path]?.link != .closing else { return }
        devices[path]?.link = .closing
        if let call = devices[path]?.connectCall.take() { fail(call, .failed("br-connection-canceled")) }
        agenda.set(.disconnect(device: path), at: now + timing.disconnect)
    }

    /// Ends the link from this side.
    mutating func takeDown(_ path: String) {
        guard let device = devices[path], device.link.isUp else { return }
        linkEnded(path)
        send(.linkClosed, to: device.peripheral, for: path)
    }

    /// The link is gone, whoever ended it.
    mutating func linkEnded(_ path: String) {
        guard let device = devices[path], device.link.isUp else { return }
        cancelTimers(of: path)
        devices[path]?.link = .down
        devices[path]?.isStale = false
        failOperations(of: path)
        set("ServicesResolved", of: path, to: .boolean(false))
        set("Connected", of: path, to: .boolean(false))
        announce()
        setMTU(of: path, to: nil)
        endStreams(of: path)
        if let call = devices[path]?.connectCall.take() { fail(call, .failed("le-connection-abort-by-local")) }
        if devices[path]?.pairing != nil { endPairing(of: path, .linkLost) }
        answer(devices[path]?.disconnectCalls.takeAll() ?? [])
        let removals = devices[path]?.removeCalls ?? []
        if !removals.isEmpty { remove(path) } else { forgetLater(path) }
        answer(removals)
    }

    /// Every timer but that of forgetting it.
    mutating func cancelTimers(of path: String) {
        let timers: [Timer] = [
            .reach(device: path), .resolve(device: path), .disconnect(device: path), .dropStale(device: path),
            .dropAfterPairing(device: path), .transmit(device: path), .transaction(device: path),
            .beginPairing(device: path), .failPairing(device: path), .pairingTimeout(device: path),
        ]
        for timer in timers { agenda.cancel(timer) }
        if devices[path] == nil { agenda.cancel(.forget(device: path)) }
    }
}

extension Array {
    /// Empties it.
    mutating func takeAll() -> [Element] {
        defer { self = [] }
        return self
    }
}

import DBus

/// Pairing: LE Secure Connections with numeric comparison, or what BlueZ makes of it.
extension BluetoothDaemon {
    enum PairingEnd: Hashable, Sendable {
        case failed
        case cancelled
        case timedOut
        case linkLost
        case unreachable

        var error: ErrorReply {
            switch self {
            case .failed: .authenticationFailed
            // Time-out and cancel look alike.
            case .cancelled, .timedOut, .linkLost: .authenticationCanceled
            case .unreachable: .pageTimeout
            }
        }
    }

    mutating func pair(_ device: DeviceState, _ id: CallID, client: String) throws(ErrorReply) -> Reply {
        guard adapters[device.adapter].isPowered else { throw .notReady }
        guard device.pairing == nil, device.connectCall == nil, !faults.contains(.pairingElsewhere) else {
            throw .inProgress
        }
        guard !device.isBonded else { throw .alreadyExists }
        begin(.call(id, client: client), agents.agent(for: client), with: device.path)
        if device.link.isUp {
            agenda.set(.beginPairing(device: device.path), at: now + timing.pair)
        } else {
            open(device.path)
        }
        return .later
    }

    /// BlueZ pairs by itself where a protected value is touched, with the default agent.
    mutating func pairForProtectedAccess(_ path: String) {
        guard devices[path]?.pairing == nil else { return }
        begin(.protectedAccess, agents.agent(for: nil), with: path)
        agenda.set(.beginPairing(device: path), at: now + timing.pair)
    }

    private mutating func begin(_ origin: PairingUnderWay.Origin, _ agent: Agent?, with path: String) {
        devices[path]?.pairing = PairingUnderWay(origin: origin, agent: agent)
        agenda.cancel(.dropAfterPairing(device: path))
    }

    mutating func beginPairing(_ path: String) {
        guard let pairing = devices[path]?.pairing, !pairing.hasBegun else { return }
        devices[path]?.pairing?.hasBegun = true
        agenda.set(.pairingTimeout(device: path), at: now + DaemonLimit.pairing)
        send(.pairingRequested(canCompare: pairing.agent?.capability.canCompare ?? false), to: path)
    }

    /// The digits are there: this side's user is asked.
    mutating func compare(_ passkey: UInt32, with path: String) {
        guard let agent = devices[path]?.pairing?.agent else { return }
        let shown = faults.contains(.wrongPasskey) ? (passkey + 1) % 1_000_000 : passkey
        let question = ask(agent, "RequestConfirmation", [.objectPath(path), .uint32(shown)])
        devices[path]?.pairing?.question = question
        if faults.contains(.pairRefused) { agenda.set(.failPairing(device: path), at: now + timing.pair) }
        if faults.contains(.pairDrops) { agenda.set(.dropAfterPairing(device: path), at: now + timing.pair) }
    }

    mutating func comparisonAnswered(_ request: AgentRequestID, accepted: Bool) {
        guard let path = devices.values.first(where: { $0.pairing?.question == request })?.path else { return }
        devices[path]?.pairing?.question = nil
        guard accepted else { return endPairing(of: path, .failed) }
        // With these the answer of this side goes out, and the ears never say yes.
        guard faults.isDisjoint(with: [.pairTimeout, .pairRefused, .pairDrops]) else { return }
        send(.comparisonAnswered(matches: true), to: path)
    }

    mutating func bonded(_ path: String, key: [UInt8]) {
        guard let pairing = devices[path]?.pairing else { return }
        withdrawQuestion(of: path)
        devices[path]?.pairing = nil
        devices[path]?.key = key
        agenda.cancel(.pairingTimeout(device: path))
        agenda.cancel(.failPairing(device: path))
        if !faults.contains(.oldBlueZ) { set("Bonded", of: path, to: .boolean(true)) }
        set("Paired", of: path, to: .boolean(true))
        // Right after Pair returned the services were already seen resolved.
        agenda.cancel(.resolve(device: path))
        servicesResolved(path)
        if case .call(let id, _) = pairing.origin { answer(id, .values([])) }
        resumeOperation(of: path)
    }

    /// The link outlives a failed pairing for a moment.
    mutating func endPairing(of path: String, _ end: PairingEnd) {
        guard let pairing = devices[path]?.pairing else { return }
        withdrawQuestion(of: path)
        devices[path]?.pairing = nil
        for timer: Timer in [.beginPairing(device: path), .failPairing(device: path), .pairingTimeout(device: path)] {
            agenda.cancel(timer)
        }
        if case .call(let id, _) = pairing.origin { fail(id, end.error) }
        if devices[path]?.link.isOpening == true { giveUpOpening(path, .failed("br-connection-canceled")) }
        guard devices[path]?.link.isUp == true else { return }
        if pairing.hasBegun { send(.pairingCancelled, to: path) }
        agenda.set(.dropAfterPairing(device: path), at: now + DaemonLimit.lingerAfterFailedPairing)
    }

    private mutating func withdrawQuestion(of path: String) {
        guard let pairing = devices[path]?.pairing, pairing.question != nil, let agent = pairing.agent else { return }
        tellCancel(agent)
        devices[path]?.pairing?.question = nil
    }
}

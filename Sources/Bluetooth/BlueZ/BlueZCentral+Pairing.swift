import DBus

extension BlueZCentral {
    @discardableResult public func pair(
        with address: BluetoothAddress, on adapter: AdapterName, deadline limit: Duration,
        confirm: @escaping @Sendable (Passkey) async -> Bool
    ) async throws(BluetoothError) -> BluetoothAddress {
        let deadline = Deadline(limit, on: objects.clock)
        try await objects.open()
        let device = try await objects.tree.device(address, onPowered: adapter)
        // BlueZ 5.66 was seen to leave `Pair` without an answer where a bond exists.
        guard !device.isPaired, !device.isBonded else { throw .pairing(.alreadyPaired) }
        guard let daemon = await objects.daemon else { throw .machine(.noDaemon(.ended)) }
        let agent = PairingAgent(device: device.path, daemon: daemon, deadline: deadline, confirm: confirm)
        try await PairingAttempt(objects: objects, device: device, agent: agent, deadline: deadline).run()
        // The object stays, whatever address it has now.
        return await objects.tree.devices[device.path]?.address ?? address
    }
}

/// One call of `Pair` on a device without a bond, and what has to be left behind it: the bond that was compared by a
/// person, or none.
struct PairingAttempt: Sendable {
    let objects: BlueZObjects
    let device: Device1
    let agent: PairingAgent
    let deadline: Deadline

    func run() async throws(BluetoothError) {
        let before = await objects.tree.link(of: device.path)
        do throws(BluetoothError) {
            try await registerAgent()
        } catch {
            await dropAgent()
            throw error
        }
        let reply = await pair()
        let record = await agent.record
        let outcome = await outcome(of: reply, record, after: before)
        await dropAgent()
        try outcome.get()
    }

    private func pair() async -> Result<[DBusValue], DBusError> {
        do throws(DBusError) {
            return .success(
                try await objects.call("Pair", of: BlueZName.device, at: device.path, within: deadline.remaining))
        } catch {
            return .failure(error)
        }
    }

    private func outcome(
        of reply: Result<[DBusValue], DBusError>, _ record: PairingAgent.Record, after before: ObjectTree.Link
    ) async -> Result<Void, BluetoothError> {
        switch reply {
        case .success where record.confirmed:
            await settlePaired()
            return .success(())
        case .success: return .failure(await removeUnproved())
        case .failure(let failure) where failure.isOurs:
            await abandon()
            return .failure(BluetoothError(failure, await situation))
        case .failure(let failure):
            let error = await translate(failure, record, after: before)
            guard error.leavesNoBondOfOthers else { return .failure(error) }
            return .failure(await removeIfPaired() ?? error)
        }
    }

    private var situation: Situation {
        get async { await objects.situation(.pair, deadline.limit, at: device) }
    }
}

// MARK: - The agent

extension PairingAttempt {
    /// Not the default agent: BlueZ uses it for the `Pair` of this connection only.
    private func registerAgent() async throws(BluetoothError) {
        do {
            let agent = agent
            try await objects.export(at: agent.path) { await agent.answer($0) }
            _ = try await objects.call(
                "RegisterAgent", of: BlueZName.agentManager, at: BlueZName.agentRegistry,
                [.objectPath(agent.path), .string(PairingAgent.capability)], within: objects.limits.answer)
        } catch {
            switch error {
            case .deadline(let limit): throw .machine(.daemonSilent(after: limit))
            // This connection has an agent already, that of another pairing.
            case .remote(BlueZErrorName.alreadyExists, _): throw .pairing(.inProgress)
            case .remote(let name, let message) where name.hasPrefix("org.bluez."):
                throw .pairing(.agentRefused(reason: message.isEmpty ? name : message))
            default: throw BluetoothError(error, await situation)
            }
        }
    }

    private func dropAgent() async {
        await agent.cancel()
        await inAnyCase {
            _ = try? await objects.callToEnd(
                "UnregisterAgent", of: BlueZName.agentManager, at: BlueZName.agentRegistry,
                [.objectPath(agent.path)], within: objects.limits.cleanup)
        }
        await objects.unexport(agent.path)
    }
}

// MARK: - What is left behind

extension PairingAttempt {
    /// Just Works: BlueZ made a bond without asking anybody.
    private func removeUnproved() async -> BluetoothError {
        await inAnyCase {
            do throws(BluetoothError) {
                try await objects.remove(device, within: objects.limits.disconnect)
                return .pairing(.downgraded)
            } catch {
                return error
            }
        }
    }

    /// After a cancel or a deadline of ours, when BlueZ may be anywhere between nothing and a bond.
    private func abandon() async {
        await agent.cancel()
        await inAnyCase {
            _ = try? await objects.callToEnd(
                "CancelPairing", of: BlueZName.device, at: device.path, within: objects.limits.cleanup)
            try? await objects.remove(device, within: objects.limits.cleanup)
        }
    }

    /// - Returns: why a bond is still there.
    private func removeIfPaired() async -> BluetoothError? {
        guard let current = await objects.tree.devices[device.path], current.isPaired || current.isBonded else {
            return nil
        }
        return await inAnyCase {
            do throws(BluetoothError) {
                try await objects.remove(device, within: objects.limits.cleanup)
                return nil
            } catch {
                return error
            }
        }
    }

    /// In a task of its own: what a cancelled pairing left is removed all the same.
    private func inAnyCase<Value: Sendable>(_ body: @escaping @Sendable () async -> Value) async -> Value {
        await Task { await body() }.value
    }
}

// MARK: - Evidence

extension PairingAttempt {
    private func translate(
        _ failure: DBusError, _ record: PairingAgent.Record, after before: ObjectTree.Link
    ) async -> BluetoothError {
        let elapsed = deadline.elapsed
        let device = device.path
        let mayBeLost = !record.refused && BluetoothError.mayBeDroppedLink(pair: failure)
        let linkEnded = mayBeLost ? await settled { !$0.link(of: device).isUp } : false
        let linkWasMade = await objects.tree.link(of: device).number > before.number
        let evidence = PairingEvidence(
            silence: elapsed - (record.askedAt ?? .zero), refusedHere: record.refused,
            otherRequestRefused: record.otherRequest != nil, agentCancelled: record.cancelled, linkEnded: linkEnded,
            agentAsked: record.askedAt != nil,
            connect: ConnectEvidence(elapsed: elapsed, linkWasMade: linkWasMade, wasBonded: false))
        return BluetoothError(pair: failure, evidence, await situation)
    }

    private func settlePaired() async {
        let device = device.path
        _ = await settled { $0.devices[device]?.isPaired ?? true }
    }

    /// Whether the signals that are still on their way make it so.
    private func settled(_ condition: @escaping @Sendable (ObjectTree) -> Bool) async -> Bool {
        await race(within: objects.limits.settle, on: objects.clock) {
            let held: Bool? = try? await objects.wait { condition($0) ? true : nil }
            return held ?? false
        } ?? false
    }
}

extension BluetoothError {
    /// Where another program pairs or has paired, the bond is that program's.
    fileprivate var leavesNoBondOfOthers: Bool { self != .pairing(.alreadyPaired) && self != .pairing(.inProgress) }
}

extension DBusError {
    /// Ended by this side, not by an answer.
    fileprivate var isOurs: Bool {
        switch self {
        case .cancelled, .deadline: true
        default: false
        }
    }
}

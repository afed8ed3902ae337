import DBus

extension BlueZCentral {
    public func connect(
        to address: BluetoothAddress, on adapter: AdapterName, deadline limit: Duration
    ) async throws(BluetoothError) -> any Peripheral {
        let deadline = Deadline(limit, on: objects.clock)
        try await objects.open()
        let device = try await objects.tree.device(address, onPowered: adapter)
        let link = try await objects.link(to: device, by: deadline)
        return BlueZPeripheral(
            address: address, adapter: adapter, device: device, link: link, objects: objects)
    }
}

/// Who asked BlueZ to make the link.
private enum LinkMaker { case us, others }

extension BlueZObjects {
    /// Makes the link where there is none, and waits until the services are resolved.
    ///
    /// - Returns: the number of the link.
    fileprivate func link(to device: Device1, by deadline: Deadline) async throws(BluetoothError) -> UInt64 {
        let before = tree.link(of: device.path)
        if before.isUp { return try await resolveServices(of: device, after: before, .others, by: deadline) }
        do throws(BluetoothError) {
            let maker = try await makeLink(to: device, after: before, by: deadline)
            return try await resolveServices(of: device, after: before, maker, by: deadline)
        } catch {
            // BlueZ goes on connecting, and holds what it has, unless it is told.
            if error.leavesAttempt || tree.link(of: device.path).isUp { await disconnectInAnyCase(device) }
            throw error
        }
    }

    private func makeLink(
        to device: Device1, after before: ObjectTree.Link, by deadline: Deadline
    ) async throws(BluetoothError) -> LinkMaker {
        do {
            _ = try await call("Connect", of: BlueZName.device, at: device.path, within: deadline.remaining)
            return .us
        } catch {
            switch error {
            case .remote(BlueZErrorName.alreadyConnected, _): return .us
            case .remote(BlueZErrorName.inProgress, _): return .others
            case .deadline: throw missedDeadline(device, after: before, deadline.limit)
            case .remote:
                let elapsed = deadline.elapsed
                let evidence = ConnectEvidence(
                    elapsed: elapsed, linkWasMade: await settle(device, after: before),
                    wasBonded: device.isBonded || device.isPaired)
                throw BluetoothError(connect: error, evidence, situation(.connect, deadline.limit, at: device))
            default: throw BluetoothError(error, situation(.connect, deadline.limit, at: device))
            }
        }
    }

    private func resolveServices(
        of device: Device1, after before: ObjectTree.Link, _ maker: LinkMaker, by deadline: Deadline
    ) async throws(BluetoothError) -> UInt64 {
        let link = await race(within: deadline.remaining, on: clock) {
            () async -> Result<UInt64, BluetoothError> in
            do throws(BluetoothError) {
                return .success(
                    try await self.wait { (tree) throws(BluetoothError) in
                        try tree.resolvedLink(to: device, after: before)
                    })
            } catch {
                return .failure(error)
            }
        }
        if let link { return try link.get() }
        if tree.link(of: device.path).isUp { throw .deadline(.resolveServices, after: deadline.limit) }
        throw maker == .us ? .connectFailed(.notInRange) : .busy(.connect)
    }

    private func missedDeadline(
        _ device: Device1, after before: ObjectTree.Link, _ limit: Duration
    ) -> BluetoothError {
        let wasMade = tree.link(of: device.path).number > before.number
        return wasMade ? .deadline(.connect, after: limit) : .connectFailed(.notInRange)
    }

    /// Whether a link was made since `before`. The signals that say so, and that it ended, may still be on their way
    /// when a call fails.
    private func settle(_ device: Device1, after before: ObjectTree.Link) async -> Bool {
        _ = await race(within: limits.settle, on: clock) {
            let flicker: Bool? = try? await self.wait {
                let link = $0.link(of: device.path)
                return link.number > before.number && !link.isUp ? true : nil
            }
            return flicker
        }
        return tree.link(of: device.path).number > before.number
    }
}

extension ObjectTree {
    /// The number of the link once its services are resolved; nil before.
    fileprivate func resolvedLink(to device: Device1, after before: Link) throws(BluetoothError) -> UInt64? {
        guard let current = devices[device.path] else { throw .unknownDevice(device.address) }
        let link = link(of: device.path)
        if link.isUp { return current.servicesResolved ? link.number : nil }
        if before.isUp || link.number > before.number { throw .linkLost(during: .resolveServices) }
        return nil
    }
}

extension BluetoothError {
    /// Whether BlueZ may still be trying when this side has given up.
    fileprivate var leavesAttempt: Bool {
        switch self {
        case .cancelled, .deadline, .connectFailed(.notInRange): true
        default: false
        }
    }
}

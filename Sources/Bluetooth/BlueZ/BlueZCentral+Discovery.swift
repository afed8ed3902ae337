import DBus

extension BlueZCentral {
    /// A sighting is a state, not an event: of those that a slow consumer left, the newest count.
    private static let bufferedSightings = 1024

    public func discover(
        _ service: BluetoothUUID, on adapter: AdapterName
    ) -> AsyncThrowingStream<Sighting, any Error> {
        let objects = objects
        return AsyncThrowingStream(bufferingPolicy: .bufferingNewest(Self.bufferedSightings)) { continuation in
            let ticket = ScanTicket()
            let scan = Task {
                do throws(BluetoothError) {
                    try await objects.scan(for: service, on: adapter, ticket) { continuation.yield($0) }
                    continuation.finish()
                } catch {
                    continuation.finish(throwing: error)
                }
            }
            continuation.onTermination = { _ in
                ticket.end()
                scan.cancel()
            }
        }
    }
}

extension BlueZObjects {
    /// Scans until its task is cancelled. A discovery that may have begun is stopped before this returns, however it
    /// ends.
    fileprivate func scan(
        for service: BluetoothUUID, on name: AdapterName, _ ticket: ScanTicket,
        _ report: @Sendable (Sighting) -> Void
    ) async throws(BluetoothError) {
        try await open()
        let adapter = try tree.powered(name)
        try await beginScan(ticket, on: adapter.path)
        let changes = changes()
        tree.known(with: service, on: adapter).forEach(report)
        let result = await result { (objects) throws(BluetoothError) in
            try await objects.setDiscoveryFilter(service, on: adapter)
        }
        guard case .success = result, !Task.isCancelled else {
            endScan(ticket, on: adapter.path)
            return try result.get()
        }
        let scan = await self.result { (objects) throws(BluetoothError) in
            objects.tree.noteScan(on: adapter.path)
            try await objects.discovery("StartDiscovery", on: adapter)
            try await objects.followScan(changes, for: service, on: name, report)
        }
        ticket.end()
        await stopDiscovery(on: adapter)
        endScan(ticket, on: adapter.path)
        try scan.get()
    }

    private func result(
        _ body: (isolated BlueZObjects) async throws(BluetoothError) -> Void
    ) async -> Result<Void, BluetoothError> {
        do throws(BluetoothError) { return .success(try await body(self)) } catch { return .failure(error) }
    }

    private func setDiscoveryFilter(_ service: BluetoothUUID, on adapter: Adapter1) async throws(BluetoothError) {
        let filter = DBusValue.properties([
            "UUIDs": .array(element: "s", [.string(service.description)]),
            "Transport": .string("le"),
            // Else a pair of ears whose signal strength stays the same would seem to have fallen silent.
            "DuplicateData": .boolean(true),
        ])
        try await discovery("SetDiscoveryFilter", on: adapter, [filter])
    }

    private func discovery(
        _ member: String, on adapter: Adapter1, _ arguments: [DBusValue] = []
    ) async throws(BluetoothError) {
        do {
            _ = try await call(member, of: BlueZName.adapter, at: adapter.path, arguments, within: limits.answer)
        } catch {
            if case .deadline(let limit) = error { throw .machine(.daemonSilent(after: limit)) }
            var situation = situation(.discover, limits.answer)
            situation.adapter = adapter.name
            situation.adapterBlock = tree.adapters[adapter.path].flatMap(tree.block)
            throw BluetoothError(error, situation)
        }
    }

    private func followScan(
        _ changes: AsyncStream<ObjectTree.Change>, for service: BluetoothUUID, on name: AdapterName,
        _ report: @Sendable (Sighting) -> Void
    ) async throws(BluetoothError) {
        var heard: Set<String> = []
        for await change in changes {
            if let loss { throw loss }
            let adapter = try tree.powered(name)
            guard let path = change.device(&heard), let device = tree.devices[path], device.adapter == adapter.path,
                // BlueZ merges the filters of all that scan, so that others' devices appear here too.
                device.services.contains(service)
            else { continue }
            report(device.sighting(on: name, wasHeard: heard.contains(path)))
        }
        if let loss { throw loss }
    }

    /// In a task of its own: a cancelled scan is stopped all the same.
    private func stopDiscovery(on adapter: Adapter1) async {
        await Task {
            _ = try? await self.callToEnd(
                "StopDiscovery", of: BlueZName.adapter, at: adapter.path, within: self.limits.cleanup)
        }.value
    }
}

extension ObjectTree.Change {
    /// The device that changed; notes in `heard` those whose signal strength was reported.
    fileprivate func device(_ heard: inout Set<String>) -> String? {
        switch self {
        case .deviceAdded(let path, let isHeard), .deviceChanged(let path, let isHeard):
            if isHeard { heard.insert(path) }
            return path
        case .other: return nil
        }
    }
}

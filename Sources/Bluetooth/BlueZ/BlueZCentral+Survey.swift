extension BlueZCentral: MachineSurveying {
    public func survey(of service: BluetoothUUID) async throws(BluetoothError) -> MachineSurvey {
        try await objects.open()
        let agents = await objects.agentPrograms()
        let tree = await objects.tree
        return MachineSurvey(
            adapters: tree.sortedAdapters.map(tree.adapter),
            devices: tree.sortedAdapters.flatMap { tree.surveyed(with: service, on: $0) }, agents: agents)
    }
}

extension ObjectTree {
    fileprivate func surveyed(with service: BluetoothUUID, on adapter: Adapter1) -> [SurveyedDevice] {
        devices(with: service, on: adapter).map { device in
            let cached = services.values.filter { $0.device == device.path }
            let paths = Set(cached.map(\.path))
            return SurveyedDevice(
                sighting: device.sighting(on: adapter.name, wasHeard: false),
                isServiceMissing: !cached.isEmpty && !cached.contains { $0.uuid == service },
                isHeld: characteristics.values.contains { $0.isAcquired && paths.contains($0.service) })
        }
    }
}

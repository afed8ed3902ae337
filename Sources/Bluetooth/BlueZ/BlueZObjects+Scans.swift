extension BlueZObjects {
    /// BlueZ grants one discovery on an adapter to each connection. Waits for the end of one that is being stopped.
    func beginScan(on adapter: String) async throws(BluetoothError) {
        try await suspend { (objects) -> Result<Void, BluetoothError>? in
            switch objects.scans[adapter] {
            case .running: return .failure(.busy(.discover))
            case .stopping: return nil
            case nil:
                objects.scans[adapter] = .running
                return .success(())
            }
        }.get()
    }

    func stopScan(on adapter: String) { scans[adapter] = .stopping }

    func endScan(on adapter: String) {
        scans[adapter] = nil
        wake()
    }
}

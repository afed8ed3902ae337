import Synchronization

/// One discovery on one adapter, from its beginning until BlueZ has stopped it.
final class ScanTicket: Sendable {
    private let ending = Atomic(false)

    /// Nobody reads its sightings any more: it is about to be stopped, or being stopped.
    var isEnding: Bool { ending.load(ordering: .acquiring) }

    func end() { ending.store(true, ordering: .releasing) }
}

extension BlueZObjects {
    /// BlueZ grants one discovery on an adapter to each connection. Waits for the end of one that is ending.
    func beginScan(_ ticket: ScanTicket, on adapter: String) async throws(BluetoothError) {
        try await suspend { (objects) -> Result<Void, BluetoothError>? in
            if let other = objects.scans[adapter] { return other.isEnding ? nil : .failure(.busy(.discover)) }
            objects.scans[adapter] = ticket
            return .success(())
        }.get()
    }

    func endScan(_ ticket: ScanTicket, on adapter: String) {
        if scans[adapter] === ticket { scans[adapter] = nil }
        wake()
    }
}

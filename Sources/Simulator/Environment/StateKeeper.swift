import Synchronization

/// Keeps the ears and this side's bonds while they run, so that a run that is killed leaves them as they were then.
final class StateKeeper: Sendable {
    private let folder: StateFolder
    private let kept = Mutex<Kept>(Kept())

    private struct Kept {
        /// Nil for a pair whose memory was not kept yet.
        var memories: [RetainedMemory?] = []
        var devices: [String: [KnownDevice]] = [:]
    }

    init(_ folder: consuming StateFolder) { self.folder = folder }

    var path: String { folder.path }

    func ears(_ number: Int) -> EarsFolder { folder.ears(number) }

    func knownDevices() throws(SimulationError) -> [String: [KnownDevice]]? { try folder.knownDevices() }

    /// From here on changes are kept.
    func begin(with daemon: inout BluetoothDaemon) throws(SimulationError) {
        for (number, pair) in daemon.ears.enumerated() where !ears(number).isInUse { try save(pair, number) }
        kept.withLock { [count = daemon.ears.count] in $0.memories = Array(repeating: nil, count: count) }
        keepChanges(of: &daemon)
    }

    /// All of it, so that it outlives a power cut.
    func save(_ ears: [SimulatedEars], _ devices: [String: [KnownDevice]]) throws(SimulationError) {
        for (number, pair) in ears.enumerated() { try save(pair, number) }
        try folder.save(devices)
    }

    private func save(_ pair: SimulatedEars, _ number: Int) throws(SimulationError) {
        do throws(EarsFolderError) { try ears(number).save(pair) } catch { throw SimulationError(error) }
    }

    /// What changed since it was last kept. A failure shows at the end, when all of it is saved; until then the next step tries again.
    func keepChanges(of daemon: inout BluetoothDaemon) {
        kept.withLock { kept in
            for number in kept.memories.indices {
                guard var pair = daemon.peripherals[number] as? EarsOnAir else { continue }
                let outcome = Result { () throws(EarsFolderError) in
                    try ears(number).keepChanges(of: &pair.ears, kept: kept.memories[number])
                }
                if case .success = outcome { kept.memories[number] = pair.ears.memory }
                daemon.peripherals[number] = pair
            }
            let devices = daemon.knownDevices
            if devices != kept.devices, (try? folder.save(devices)) != nil { kept.devices = devices }
        }
    }
}

extension BluetoothDaemon {
    fileprivate var ears: [SimulatedEars] { peripherals.compactMap { ($0 as? EarsOnAir)?.ears } }
}

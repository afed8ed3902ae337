import Bluetooth
import CommandLineTools
import DurableFiles
import Ears

/// What a pairing that was cut off leaves behind.
extension EarsFinder {
    var pairingRecords: PairingRecords { PairingRecords(stateFolder: directories.state) }

    /// Ends every pairing on record that no living command is about: a bond that it left was never proved and is
    /// removed, and that is said.
    func settleUnfinishedPairings(on adapters: [Adapter]) async throws(CommandFailure) {
        for record in pairingRecords.all {
            guard let adapter = adapters.usable(named: record.adapter) else { continue }
            let ears = try await bonded(record.device, on: adapter.name)
            // Held by a pairing under way, or by a command that this one must not disturb.
            guard let lock = try? own(ears ?? .nameless(record.device, on: adapter.name)) else { continue }
            defer { withExtendedLifetime(lock) {} }
            if let ears {
                try await removeUnproved(ears)
            } else {
                guard await removeRemains(of: record.device, on: adapter.name) else { continue }
            }
            try end(record)
        }
    }

    private func removeUnproved(_ ears: Sighting) async throws(CommandFailure) {
        do throws(BluetoothError) {
            try await central.removeBond(of: ears.address, on: ears.adapter)
        } catch {
            let reason = CommandFailure(error)
            throw CommandFailure(
                reason.status, code: "unproved_bond",
                cause: "the bond with \(ears.inWords) was never proved, and cannot be removed: \(reason.cause)",
                remedy: reason.remedy)
        }
        console.complain("a pairing with \(ears.inWords) was cut off before its bond was proved: the bond was removed")
    }

    /// BlueZ 5.66 keeps a device whose pairing was cut off before its services were known as one without any, so that a
    /// scan for the service passes it over, however loud it is. Removed, it is found afresh.
    ///
    /// - Returns: false where something may be left.
    private func removeRemains(of device: BluetoothAddress, on adapter: AdapterName) async -> Bool {
        do throws(BluetoothError) {
            try await central.removeBond(of: device, on: adapter)
            return true
        } catch .unknownDevice {
            return true
        } catch {
            return false
        }
    }

    /// What BlueZ has of a device now, where it has a bond with it.
    private func bonded(
        _ device: BluetoothAddress, on adapter: AdapterName
    ) async throws(CommandFailure) -> Sighting? {
        try await asking { () throws(BluetoothError) in
            try await central.known(with: EarsSession.service, on: adapter)
        }.first { $0.address == device && ($0.isBonded || $0.isPaired) }
    }

    // MARK: A pairing of this command

    /// Puts a pairing on record before it begins.
    func begin(pairing ears: Sighting) async throws(CommandFailure) -> PairingRecords.Record {
        let adapters = try await asking { () throws(BluetoothError) in try await central.adapters() }
        guard let adapter = adapters.first(where: { $0.name == ears.adapter }) else {
            throw CommandFailure(BluetoothError.machine(adapters.obstacle(ears.adapter)))
        }
        let record = PairingRecords.Record(adapter: adapter.address, device: ears.address)
        do { try pairingRecords.begin(record) } catch { throw CommandFailure(writing: error) }
        return record
    }

    func end(_ record: PairingRecords.Record) throws(CommandFailure) {
        do { try pairingRecords.end(record) } catch { throw CommandFailure(writing: error) }
    }

    /// After a pairing that failed: its record goes as soon as it is certain that it left no bond. Else it stays, and
    /// the next command sees to it.
    func end(_ record: PairingRecords.Record, failed error: EarsError, with ears: Sighting) async {
        let leavesNothing =
            switch error {
            // Those that took a bond back say so only when it is gone; a bond that was there before is not this one's.
            case .bluetooth(.pairing), .unsupported: true
            default: false
            }
        // In a task of its own: a cancelled pairing is brought to its end too.
        await Task {
            let isClean = leavesNothing ? true : await hasNoBond(with: record.device, on: ears.adapter)
            if isClean { try? end(record) }
        }.value
    }

    /// - Returns: false where it cannot be told.
    private func hasNoBond(with device: BluetoothAddress, on adapter: AdapterName) async -> Bool {
        do throws(CommandFailure) { return try await bonded(device, on: adapter) == nil } catch { return false }
    }
}

extension Array<Adapter> {
    fileprivate func usable(named address: BluetoothAddress) -> Adapter? {
        first { $0.address == address && $0.obstacle == nil }
    }
}

extension Sighting {
    /// A device of which nothing but its address is known.
    fileprivate static func nameless(_ address: BluetoothAddress, on adapter: AdapterName) -> Sighting {
        Sighting(
            adapter: adapter, address: address, name: nil, rssi: nil, isPaired: false, isBonded: false,
            isConnected: false, services: [])
    }
}

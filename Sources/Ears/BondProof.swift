public import Bluetooth

/// Pairing as it has to be: compared, and then proved by a fresh connection and a protected read.
public enum BondProof {
    /// How far it has come.
    public enum Step: Hashable, Sendable {
        /// BlueZ is being asked to pair.
        case asking
        /// There is a bond, made by comparing digits and not yet proved, with ears of this identity address.
        case bonded(BluetoothAddress)
        case reconnecting
        /// A value that the ears give on a bonded link alone.
        case reading
    }

    /// Pairs with the ears and proves the bond. A bond that was not proved does not stay, whatever kept it from it.
    ///
    /// - Parameters:
    ///   - deadline: for pairing, and again for each of the connections.
    ///   - onStep: told of each step before it is taken.
    ///   - confirm: asked for the six digits; false refuses.
    /// - Returns: a session on the fresh connection.
    /// - Throws: ``PairingFailure/notProved`` where the bond did not carry a second connection and was removed;
    ///   where it could not be removed, why not. Ears that answer and cannot be spoken to
    ///   (``EarsError/unsupported(_:)``) keep their bond.
    public static func pair(
        with device: BluetoothAddress, on adapter: AdapterName, through central: any Central, deadline: Duration,
        clock: any Clock<Duration>, onStep: @Sendable (Step) -> Void = { _ in },
        confirm: @escaping @Sendable (Passkey) async -> Bool
    ) async throws(EarsError) -> EarsSession {
        onStep(.asking)
        let identity = try await bluetooth { () throws(BluetoothError) in
            try await central.pair(with: device, on: adapter, deadline: deadline, confirm: confirm)
        }
        do throws(EarsError) {
            let fresh = try await bluetooth { () throws(BluetoothError) in
                // The link of the pairing itself proves nothing: it has to end first.
                onStep(.bonded(identity))
                try await central.connect(to: identity, on: adapter, deadline: deadline).disconnect()
                onStep(.reconnecting)
                return try await central.connect(to: identity, on: adapter, deadline: deadline)
            }
            onStep(.reading)
            return try await session(on: fresh, clock)
        } catch {
            if case .unsupported = error { throw error }
            try await remove(identity, on: adapter, through: central)
            throw .bluetooth(Task.isCancelled ? .cancelled : .pairing(.notProved))
        }
    }

    private static func session(
        on peripheral: any Peripheral, _ clock: any Clock<Duration>
    ) async throws(EarsError) -> EarsSession {
        do throws(EarsError) { return try await EarsSession.open(on: peripheral, clock: clock) } catch {
            await Task { try? await peripheral.disconnect() }.value
            throw error
        }
    }

    /// In a task of its own: a cancelled pairing leaves no bond either.
    private static func remove(
        _ device: BluetoothAddress, on adapter: AdapterName, through central: any Central
    ) async throws(EarsError) {
        let removal = await Task { () -> Result<Void, BluetoothError> in
            do throws(BluetoothError) {
                return .success(try await central.removeBond(of: device, on: adapter))
            } catch {
                return .failure(error)
            }
        }.value
        do { try removal.get() } catch { throw .bluetooth(error) }
    }
}

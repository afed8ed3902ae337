public import Bluetooth

/// Pairing as it has to be: compared, and then proved by a fresh connection and a protected read.
public enum BondProof {
    /// Pairs with the ears and proves the bond. A bond that cannot be proved does not stay.
    ///
    /// - Parameters:
    ///   - deadline: for pairing, and again for the fresh connection.
    ///   - confirm: asked for the six digits; false refuses.
    /// - Returns: a session on the fresh connection.
    /// - Throws: ``PairingFailure/notProved`` where the bond did not carry a second connection; ears that cannot be
    ///   spoken to for another reason keep their bond, and the error says the reason.
    public static func pair(
        with device: BluetoothAddress, on adapter: AdapterName, through central: any Central, deadline: Duration,
        clock: any Clock<Duration>, confirm: @escaping @Sendable (Passkey) async -> Bool
    ) async throws(EarsError) -> EarsSession {
        let paired = try await bluetooth { () throws(BluetoothError) in
            try await central.pair(with: device, on: adapter, deadline: deadline, confirm: confirm)
            return try await central.connect(to: device, on: adapter, deadline: deadline)
        }
        // The link of the pairing itself proves nothing: it has to end first.
        try await bluetooth { () throws(BluetoothError) in try await paired.disconnect() }
        do throws(EarsError) {
            let fresh = try await bluetooth { () throws(BluetoothError) in
                try await central.connect(to: device, on: adapter, deadline: deadline)
            }
            return try await EarsSession.open(on: fresh, clock: clock)
        } catch {
            guard error.contradictsBond else { throw error }
            try? await central.removeBond(of: device, on: adapter)
            throw .bluetooth(.pairing(.notProved))
        }
    }
}

extension EarsError {
    /// Whether it says that the keys of the two sides do not fit.
    fileprivate var contradictsBond: Bool {
        switch self {
        case .bluetooth(.staleBond), .bluetooth(.notBonded): true
        // Insufficient authentication, encryption key size, encryption.
        case .bluetooth(.attribute(let code, _)): [0x05, 0x0C, 0x0F].contains(code)
        default: false
        }
    }
}

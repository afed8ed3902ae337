import DBus

/// What was seen while a link was being made. BlueZ gives a stale bond and absent ears the same text.
struct ConnectEvidence: Hashable, Sendable {
    /// A stale bond was seen to fail in about 0.3 s, absent ears after 40 s.
    static let staleBondLimit = Duration.seconds(5)
    /// The kernel gives up on a device that it does not hear after 20 s, BlueZ's own retry makes it 40 s.
    static let absenceMinimum = Duration.seconds(15)

    /// From the call of `Connect` (or `Pair`) to its answer.
    var elapsed: Duration
    /// Connected went true and false again meanwhile.
    var linkWasMade: Bool
    /// Paired or Bonded when it began.
    var wasBonded: Bool
}

extension BluetoothError {
    init(connect failure: DBusError, _ evidence: ConnectEvidence, _ situation: Situation) {
        guard case .remote(let name, let message) = failure else {
            self = BluetoothError(failure, situation)
            return
        }
        switch name {
        case BlueZErrorName.failed, BlueZErrorName.connectionAttemptFailed, BlueZErrorName.notConnected:
            self = Self.failedLink(message, evidence, situation)
        case BlueZErrorName.notAvailable, BlueZErrorName.authenticationFailed:
            self = .connectFailed(.other(reason: message))
        default: self = BluetoothError(failure, situation)
        }
    }

    private static func failedLink(
        _ message: String, _ evidence: ConnectEvidence, _ situation: Situation
    ) -> BluetoothError {
        if evidence.linkWasMade {
            if evidence.wasBonded, evidence.elapsed < ConnectEvidence.staleBondLimit, let device = situation.device {
                return .staleBond(device)
            }
            return .connectFailed(.aborted(reason: message))
        }
        if evidence.elapsed >= ConnectEvidence.absenceMinimum { return .connectFailed(.notInRange) }
        return .connectFailed(.other(reason: message))
    }
}

import DBus

/// What was seen while a pairing failed. `Pair`'s own errors lump together what a person has to tell apart.
struct PairingEvidence: Hashable, Sendable {
    /// The SMP timer is 30 s (Core specification, Vol 3 Part H 3.4); BlueZ was seen to answer after 32 s.
    static let timeoutMinimum = Duration.seconds(29)

    /// Since the agent was asked, or since `Pair` was called where it was not.
    var silence: Duration
    /// The digits were refused on this side.
    var refusedHere: Bool
    /// Our agent was asked for something else than comparing digits, and refused.
    var otherRequestRefused: Bool
    /// BlueZ called the agent's `Cancel`.
    var agentCancelled: Bool
    /// The link ended during the pairing.
    var linkEnded: Bool
    /// The agent had been asked for the digits: a link was made and the pairing had begun.
    var agentAsked: Bool
    var connect: ConnectEvidence
}

extension BluetoothError {
    init(pair failure: DBusError, _ evidence: PairingEvidence, _ situation: Situation) {
        guard case .remote(let name, let message) = failure else {
            self = BluetoothError(failure, situation)
            return
        }
        let isRefusal = Self.authenticationErrors.contains(name)
        switch name {
        case _ where isRefusal && evidence.refusedHere: self = .pairing(.rejectedHere)
        case _ where isRefusal && evidence.otherRequestRefused: self = .pairing(.downgraded)
        case BlueZErrorName.alreadyExists: self = .pairing(.alreadyPaired)
        case BlueZErrorName.inProgress: self = .pairing(.inProgress)
        case BlueZErrorName.authenticationTimeout: self = .pairing(.timedOut)
        case BlueZErrorName.authenticationFailed, BlueZErrorName.authenticationRejected:
            self = .pairing(.rejectedByPeripheral)
        case BlueZErrorName.authenticationCanceled: self = Self.cancelledPairing(evidence, name, message, situation)
        case BlueZErrorName.notConnected: self = .pairing(.linkLost)
        default: self = Self.failedPairing(failure, evidence, situation)
        }
    }

    /// Whether the error could be that of a dropped link, so that it is worth a moment to see whether the link goes.
    static func mayBeDroppedLink(pair failure: DBusError) -> Bool {
        guard case .remote(let name, _) = failure else { return false }
        return [
            BlueZErrorName.authenticationCanceled, BlueZErrorName.failed, BlueZErrorName.connectionAttemptFailed,
        ].contains(name)
    }

    private static let authenticationErrors: Set<String> = [
        BlueZErrorName.authenticationFailed, BlueZErrorName.authenticationCanceled,
        BlueZErrorName.authenticationRejected, BlueZErrorName.authenticationTimeout,
    ]

    /// `AuthenticationCanceled` is BlueZ's word for a lost link, for SMP's time-out and for a cancel alike.
    private static func cancelledPairing(
        _ evidence: PairingEvidence, _ name: String, _ message: String, _ situation: Situation
    ) -> BluetoothError {
        if evidence.silence >= PairingEvidence.timeoutMinimum { return .pairing(.timedOut) }
        if evidence.linkEnded { return .pairing(.linkLost) }
        if evidence.agentCancelled { return .pairing(.rejectedByPeripheral) }
        return .unexpected(name: name, message: message, during: situation.operation)
    }

    private static func failedPairing(
        _ failure: DBusError, _ evidence: PairingEvidence, _ situation: Situation
    ) -> BluetoothError {
        if evidence.agentAsked, evidence.linkEnded { return .pairing(.linkLost) }
        return BluetoothError(connect: failure, evidence.connect, situation)
    }
}

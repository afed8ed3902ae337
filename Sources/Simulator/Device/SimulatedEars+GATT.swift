public import ControlProtocol

/// The exchange of `protocomm`: a write hands over a request and a read of the same characteristic fetches the reply.
extension SimulatedEars {
    /// Bytes of a request or a reply (`BLE_ATT_ATTR_MAX_LEN`).
    static let exchangeLimit = 512

    /// Largest ATT MTU that these ears agree to.
    public var maximumTransferUnit: Int {
        configuration.faults.firstValue { if case .maximumTransferUnit(let bytes) = $0 { bytes } else { nil } } ?? 256
    }

    /// Write Request; longer values come as long writes, put together by the stack.
    public mutating func write(
        _ value: [UInt8], to endpoint: EndpointName, at now: Duration
    ) throws(GATTFailure) {
        pass(to: now)
        try checkAccess()
        // Acknowledged and ignored: the old reply stays readable.
        guard !value.isEmpty else { return }
        guard value.count <= Self.exchangeLimit else { throw .attribute(.invalidLength) }
        guard !endpoint.isStream else { throw .attribute(.writeNotPermitted) }
        guard let reply = try answer(value, at: endpoint) else { return }
        guard reply.count <= Self.exchangeLimit else { throw .attribute(.invalidLength) }
        link?.replies[endpoint] = reply
    }

    /// The stored reply; empty where there is none.
    public mutating func read(_ endpoint: EndpointName, at now: Duration) throws(GATTFailure) -> [UInt8] {
        pass(to: now)
        try checkAccess()
        guard !endpoint.isStream else { throw .attribute(.readNotPermitted) }
        if link?.dropsOnRead == true {
            dropLink()
            throw .linkLost
        }
        return link?.replies[endpoint] ?? []
    }

    func checkAccess() throws(GATTFailure) {
        guard let link else { throw .notConnected }
        guard !link.isSilent else { throw .noAnswer }
        guard !link.isEncrypted, !configuration.faults.contains(.securityTwo) else { return }
        let isKnown = memory.bonds.key(of: link.peer) != nil
        throw .attribute(isKnown ? .insufficientEncryption : .insufficientAuthentication)
    }
}

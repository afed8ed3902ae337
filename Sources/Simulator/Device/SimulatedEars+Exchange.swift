import ControlProtocol

/// From a request's bytes to its reply's.
extension SimulatedEars {
    mutating func answer(_ request: [UInt8], at endpoint: EndpointName) throws(GATTFailure) -> [UInt8] {
        guard case .running(let firmware) = activity else { throw .notConnected }
        switch endpoint {
        case .version: return Array(VersionDocument(configuration).text.utf8)
        case .session: return try decoding { () throws(WireError) in try Self.session(request) }
        case .control: return try control(request, firmware)
        case .update: return try update(request)
        }
    }

    /// Security 0: nothing is encrypted by it and nothing asks for it.
    private static func session(_ request: [UInt8]) throws(WireError) -> [UInt8] {
        guard case .command = try SecurityZeroMessage(decoding: request) else { throw .missingPayload }
        return SecurityZeroMessage.response(status: .success).encoded()
    }
}

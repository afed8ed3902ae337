internal import Bluetooth
internal import ControlProtocol

/// A write to an endpoint and the read of its reply.
struct EndpointExchange: Sendable {
    let peripheral: any Peripheral
    let endpoint: EarsEndpoint
    /// Bytes.
    let requestLimit: Int

    /// - Parameter overlapping: whether the reply shows which request it answers (``Peripheral/exchange(_:with:deadline:overlapping:)``).
    func run(_ request: [UInt8], overlapping: Bool = false) async throws(EarsError) -> [UInt8] {
        guard !request.isEmpty else { throw .wire(.emptyRequest(endpoint.name)) }
        guard request.count <= requestLimit else {
            throw .wire(.requestTooLong(endpoint.name, bytes: request.count, limit: requestLimit))
        }
        let reply = try await bluetooth { () throws(BluetoothError) in
            try await peripheral.exchange(
                request, with: endpoint.characteristic, deadline: deadline, overlapping: overlapping)
        }
        guard reply.count <= EarsLimits.attributeBytes else {
            throw .wire(
                .replyTooLong(endpoint.name, bytes: reply.count, limit: EarsLimits.attributeBytes))
        }
        return reply
    }

    private var deadline: Duration {
        if LastLook.isHurried { return EarsDeadlines.lastLook }
        return endpoint.name == .update ? EarsDeadlines.updateStep : EarsDeadlines.controlStep
    }
}

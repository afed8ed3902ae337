public import ControlProtocol

/// The ears' GATT table as a peer discovers it; handles are fixed.
public struct GATTTable: Hashable, Sendable {
    /// Descriptor 0x2901, Characteristic User Description: the endpoint's name, readable without encryption.
    public struct NameDescriptor: Hashable, Sendable {
        public let handle: UInt16
        public let value: [UInt8]
        public static let uuid = "00002901-0000-1000-8000-00805f9b34fb"
    }

    /// One endpoint: read and written with response, nothing else, as in a stock build; or the stream, written without
    /// response and notifying, nothing else.
    public struct Characteristic: Hashable, Sendable {
        public let endpoint: EndpointName
        /// Of the declaration; the value's is the next one.
        public let handle: UInt16
        public let uuid: String
        public let name: NameDescriptor
    }

    public let serviceHandle: UInt16
    public let serviceUUID: String
    public let characteristics: [Characteristic]

    static let ears = GATTTable(
        serviceHandle: 0x0010, serviceUUID: EarsService.uuid,
        characteristics: zip(EndpointName.allCases, UInt16(0)...).map { endpoint, position in
            let handle = 0x0011 + 3 * position
            return Characteristic(
                endpoint: endpoint, handle: handle, uuid: EarsService.characteristicUUID(of: endpoint),
                name: NameDescriptor(handle: handle + 2, value: Array(endpoint.rawValue.utf8)))
        })
}

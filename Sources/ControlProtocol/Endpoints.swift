/// The ears' GATT service and its endpoints.
///
/// Names, as descriptor 0x2901 has them, are the contract; the UUID scheme is the check: a
/// characteristic's UUID is the service's with the endpoint's 16-bit id as hex digits 5 to 8.
public enum EndpointName: String, CaseIterable, Sendable {
    case version = "esp_local_ctrl/version"
    case session = "esp_local_ctrl/session"
    case control = "esp_local_ctrl/control"
    case update = "espurr/update"
    case updateStream = "espurr/update-stream"
    case audio = "espurr/audio"

    /// Whether it is written without response and notifies; the others are written and read, one exchange at a time.
    public var isStream: Bool { self == .updateStream }

    /// The 16-bit id: the three stock ones as ESP-IDF gives them, the ears' own below.
    public var identifier: UInt16 {
        switch self {
        case .version: 0xFF50
        case .session: 0xFF51
        case .control: 0xFF52
        case .update: 0xFF4F
        case .updateStream: 0xFF4D
        case .audio: 0xFF4E
        }
    }
}

public enum EarsService {
    /// The 128-bit service UUID that the ears advertise.
    public static let uuid = "8a47e5b1-2c0d-4f6a-9b3e-71d05c98a6f4"
    public static let applicationProtocol: UInt32 = 2

    public static func characteristicUUID(of endpoint: EndpointName) -> String {
        let digits = String(endpoint.identifier, radix: 16)
        return uuid.prefix(4) + String(repeating: "0", count: 4 - digits.count) + digits + uuid.dropFirst(8)
    }
}

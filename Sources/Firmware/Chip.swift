/// The chip an image is built for, as the header's `chip_id` has it (`esp_chip_id_t` of ESP-IDF).
public struct Chip: Hashable, Sendable {
    public let id: UInt16

    public init(id: UInt16) {
        self.id = id
    }

    public static let esp32 = Chip(id: 0x00)
    public static let esp32s2 = Chip(id: 0x02)
    public static let esp32c3 = Chip(id: 0x05)
    public static let esp32s3 = Chip(id: 0x09)
    public static let esp32c2 = Chip(id: 0x0C)
    public static let esp32c6 = Chip(id: 0x0D)
    public static let esp32h2 = Chip(id: 0x10)
    public static let esp32p4 = Chip(id: 0x12)
    public static let esp32c61 = Chip(id: 0x14)
    public static let esp32c5 = Chip(id: 0x17)
    public static let esp32h21 = Chip(id: 0x19)
    public static let esp32h4 = Chip(id: 0x1C)
    public static let esp32s31 = Chip(id: 0x20)

    /// Espressif's name for the chip; nil for an id that this build does not know.
    public var name: String? {
        switch self {
        case .esp32: "ESP32"
        case .esp32s2: "ESP32-S2"
        case .esp32c3: "ESP32-C3"
        case .esp32s3: "ESP32-S3"
        case .esp32c2: "ESP32-C2"
        case .esp32c6: "ESP32-C6"
        case .esp32h2: "ESP32-H2"
        case .esp32p4: "ESP32-P4"
        case .esp32c61: "ESP32-C61"
        case .esp32c5: "ESP32-C5"
        case .esp32h21: "ESP32-H21"
        case .esp32h4: "ESP32-H4"
        case .esp32s31: "ESP32-S31"
        default: nil
        }
    }

    /// Whether some board family is built on it.
    public var isSupported: Bool {
        BoardFamily.allCases.contains { $0.chip == self }
    }
}

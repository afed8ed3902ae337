/// The chips that ears are made of.
public enum Chip: String, Sendable {
    case esp32 = "ESP32"
    case esp32S3 = "ESP32-S3"

    /// `esp_chip_id_t`, as an image's header has it.
    public var identifier: UInt16 {
        switch self {
        case .esp32: 0
        case .esp32S3: 9
        }
    }

    /// The silicon's revision, major × 100 + minor.
    var revision: UInt16 {
        switch self {
        case .esp32: 301
        case .esp32S3: 2
        }
    }

    /// Addresses at which a segment is mapped from flash, not copied.
    func mapsFromFlash(_ address: UInt32) -> Bool {
        switch self {
        case .esp32: (0x3F40_0000..<0x3F80_0000).contains(address) || (0x400D_0000..<0x4040_0000).contains(address)
        case .esp32S3: (0x3C00_0000..<0x3E00_0000).contains(address) || (0x4200_0000..<0x4400_0000).contains(address)
        }
    }
}

/// The four boards.
public enum BoardFamily: String, CaseIterable, Codable, Sendable {
    case esp32
    case s3
    case v2With8MB = "v2-8m"
    case v2With16MB = "v2-16m"

    public var chip: Chip { self == .esp32 ? .esp32 : .esp32S3 }

    /// Bytes of the whole flash.
    public var flashSize: Int {
        switch self {
        case .esp32: 4 << 20
        case .s3, .v2With8MB: 8 << 20
        case .v2With16MB: 16 << 20
        }
    }

    /// Bytes of each of the two application slots.
    public var slotSize: Int {
        switch self {
        case .esp32: 1700 << 10
        case .s3, .v2With8MB: 3072 << 10
        case .v2With16MB: 4096 << 10
        }
    }

    var slotOffsets: [Int] {
        switch self {
        case .esp32: [0x1_0000, 0x1C_0000]
        case .s3, .v2With8MB: [0x1_0000, 0x31_0000]
        case .v2With16MB: [0x1_0000, 0x41_0000]
        }
    }
}

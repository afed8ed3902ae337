/// The 24 bytes at the start of an ESP image (ESP-IDF `esp_image_header_t`).
public struct ImageHeader: Hashable, Sendable {
    public static let magic: UInt8 = 0xE9
    /// Bytes.
    public static let length = 24
    public static let maximumSegmentCount = 16

    public let segmentCount: Int
    /// As stored; see ``spiMode``.
    public let spiModeField: UInt8
    /// Low nibble of byte 3, as stored: its meaning differs from chip to chip.
    public let spiSpeedField: UInt8
    /// High nibble of byte 3, as stored; see ``flashSize``.
    public let flashSizeField: UInt8
    public let entry: UInt32
    public let chip: Chip
    /// `min_chip_rev`, superseded by ``minimumRevision``; images of before ESP-IDF 4.4.2 have only this one.
    public let legacyMinimumRevision: UInt8
    public let minimumRevision: ChipRevision
    /// nil: unset, stored as 0 or 65535.
    public let maximumRevision: ChipRevision?
    /// Byte 23, as stored: 1 when a SHA-256 follows the checksum, 0 when none does.
    public let hashAppendedField: UInt8

    /// nil when the bytes do not begin with a whole header.
    init?(_ bytes: [UInt8]) {
        guard bytes.count >= Self.length, bytes[0] == Self.magic else { return nil }
        segmentCount = Int(bytes[1])
        spiModeField = bytes[2]
        spiSpeedField = bytes[3] & 0x0F
        flashSizeField = bytes[3] >> 4
        entry = bytes.integer(at: 4)
        chip = Chip(id: bytes.integer(at: 12))
        legacyMinimumRevision = bytes[14]
        minimumRevision = ChipRevision(rawValue: bytes.integer(at: 15))
        let maximum: UInt16 = bytes.integer(at: 17)
        maximumRevision = maximum == 0 || maximum == .max ? nil : ChipRevision(rawValue: maximum)
        hashAppendedField = bytes[23]
    }

    /// nil for a value that names no mode.
    public var spiMode: SPIMode? { SPIMode(rawValue: spiModeField) }

    /// Bytes; nil for a value that names no size.
    public var flashSize: Int? {
        flashSizeField <= 7 ? 1 << (20 + Int(flashSizeField)) : nil
    }

    public var hashAppended: Bool { hashAppendedField == 1 }
}

/// How the flash is read (`esp_image_spi_mode_t`).
public enum SPIMode: UInt8, Sendable, CaseIterable {
    case qio, qout, dio, dout, fastRead, slowRead
}

/// A revision of a chip: major × 100 + minor.
public struct ChipRevision: Hashable, Comparable, Sendable {
    public let rawValue: UInt16

    public init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    public var major: Int { Int(rawValue) / 100 }
    public var minor: Int { Int(rawValue) % 100 }

    public static func < (left: Self, right: Self) -> Bool {
        left.rawValue < right.rawValue
    }
}

// What lies about in a build folder beside applications, each told by as little of it as is certain.

/// A partition table (ESP-IDF `esp_partition_info_t`): rows of 32 bytes.
enum PartitionTable {
    private static let rowLength = 32

    /// Whether a row begins here: AA 50, type, subtype, offset, size, label[16], flags.
    static func hasRow(in bytes: [UInt8], at offset: Int) -> Bool {
        guard bytes.count >= offset + rowLength, bytes[offset] == 0xAA, bytes[offset + 1] == 0x50 else { return false }
        let label = bytes[(offset + 12)..<(offset + 28)].prefix { $0 != 0 }
        return bytes.integer(at: offset + 8, as: UInt32.self) != 0 && label.allSatisfy { (0x20...0x7E).contains($0) }
    }
}

/// The partition that selects the application (ESP-IDF `esp_ota_select_entry_t`): an entry at 0 and one at 4096.
enum OTAData {
    private static let entryOffsets = [0, 4096]
    private static let entryLength = 32
    /// Bytes.
    static let length = 8192

    /// Whether one of the entries is valid: the CRC of its sequence number is right.
    static func isValid(_ bytes: [UInt8]) -> Bool {
        bytes.count <= length
            && entryOffsets.contains { offset in
                guard bytes.count >= offset + entryLength else { return false }
                let sequence: UInt32 = bytes.integer(at: offset)
                let computed = CRC32.checksum(bytes[offset..<(offset + 4)], seed: .max)
                return sequence != .max && bytes.integer(at: offset + 28) == computed
            }
    }
}

/// A bootloader's descriptor (ESP-IDF `esp_bootloader_desc_t`), where an application has its own: 80 bytes.
enum BootloaderDescriptor {
    /// The magic byte, and a version of ESP-IDF where it belongs.
    static func isMarked(_ bytes: [UInt8]) -> Bool {
        let start = ApplicationDescriptor.offset
        guard bytes.count >= start + 80, bytes[start] == 0x50 else { return false }
        return ApplicationDescriptor.text(bytes[(start + 8)..<(start + 40)])?.isEmpty == false
    }
}

/// An image for ESP8266: a header of 8 bytes, then segments. ESP32's header has drive settings where the first load
/// address stands here.
enum ESP8266Image {
    private static let secondVersionMagic: UInt8 = 0xEA
    private static let instructionMemory: Range<UInt32> = 0x4010_0000..<0x4011_0000
    private static let memory: [Range<UInt32>] = [
        instructionMemory, 0x3FFE_8000..<0x4000_0000, 0x4020_0000..<0x4030_0000,
    ]

    static func isLikely(_ bytes: [UInt8]) -> Bool {
        guard bytes.count >= 16 else { return false }
        guard instructionMemory.contains(bytes.integer(at: 4)) else { return false }
        if bytes[0] == secondVersionMagic { return true }
        let loadAddress: UInt32 = bytes.integer(at: 8)
        return bytes[0] == ImageHeader.magic && memory.contains { $0.contains(loadAddress) }
    }
}

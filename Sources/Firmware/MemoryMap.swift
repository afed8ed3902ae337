/// Where the chips of the board families have memory, as far as an image's segments are concerned.
///
/// Flash windows are exact, RAM is taken generously: what lies outside is certainly no memory, and the bootloader
/// refuses to load it ("bad load address range").
struct MemoryMap {
    /// The windows through which flash is read.
    let mapped: [Range<Int>]
    /// RAM, RTC memory included.
    let memory: [Range<Int>]

    /// Bytes that the MMU maps as one, on ESP32 and ESP32-S3.
    static let mmuPage = 64 * 1024
    /// A load address below is padding, on every chip.
    static let paddingLimit: UInt32 = 0x1000_0000

    /// nil: no board family is built on the chip.
    init?(of chip: Chip) {
        switch chip {
        case .esp32:
            mapped = [0x3F40_0000..<0x3F80_0000, 0x400D_0000..<0x4040_0000]
            memory = [0x3FF8_0000..<0x4000_0000, 0x4007_0000..<0x400D_0000, 0x5000_0000..<0x5000_2000]
        case .esp32s3:
            mapped = [0x3C00_0000..<0x3E00_0000, 0x4200_0000..<0x4400_0000]
            memory = [
                0x3FC8_0000..<0x3FD0_0000, 0x4037_0000..<0x403E_0000, 0x5000_0000..<0x5000_2000,
                0x600F_E000..<0x6010_0000,
            ]
        default:
            return nil
        }
    }

    /// Where second-stage bootloaders are linked to run, above what an application is loaded into; nil where this
    /// build does not know. Used to name a file, never to accept one.
    static func bootloaderCode(of chip: Chip) -> Range<UInt32>? {
        switch chip {
        case .esp32: 0x4007_8000..<0x4008_0000
        case .esp32s2: 0x4004_7000..<0x4006_0000
        case .esp32s3: 0x403B_0000..<0x403E_0000
        case .esp32c3: 0x403C_7000..<0x403E_0000
        case .esp32c2: 0x403A_0000..<0x403C_0000
        case .esp32c6: 0x4086_0000..<0x4088_0000
        case .esp32h2: 0x4083_0000..<0x4085_0000
        default: nil
        }
    }
}

public import Firmware

/// Firmware of any length, sound in every respect, with an even noise for code.
public struct BuiltImage: Sendable {
    public let image: SoundImage
    public let bytes: [UInt8]

    /// - Parameter length: bytes of code; the file is 432 bytes longer, rounded up to 16.
    public init(family: BoardFamily, version: String, length: Int) {
        let map = Map(family.chip)
        let descriptor = Self.descriptor(family, version)
        let salt = version.utf8.reduce(0) { Int($0) + Int($1) }
        let code = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8 ^ salt) }
        var bytes: [UInt8] = [0xE9, 2, 2, map.flashSize] + littleEndian(map.entry)
        bytes += [0xEE, 0, 0, 0, map.chip, 0, 0, 0, 0, 0xFF, 0xFF, 0, 0, 0, 0, 1]
        bytes += littleEndian(map.data) + littleEndian(UInt32(descriptor.count)) + descriptor
        bytes += littleEndian(map.code + UInt32(bytes.count + 8)) + littleEndian(UInt32(code.count)) + code
        let checksum = (descriptor + code).reduce(UInt8(0xEF), ^)
        bytes += [UInt8](repeating: 0, count: 15 - bytes.count % 16) + [checksum]
        guard let hash = ImageInspection(of: bytes + [UInt8](repeating: 0, count: 32)).hash,
            let image = try? ImageInspection(of: bytes + hash.computed).verdict.get()
        else { preconditionFailure("the built image is not sound") }
        self.image = image
        self.bytes = bytes + hash.computed
    }

    /// Where a chip has what.
    private struct Map {
        let chip: UInt8
        let flashSize: UInt8
        let entry: UInt32
        let data: UInt32
        let code: UInt32

        init(_ chip: Chip) {
            let isESP32 = chip == .esp32
            self.chip = isESP32 ? 0 : 9
            flashSize = isESP32 ? 0x2F : 0x4F
            entry = isESP32 ? 0x4008_1000 : 0x4037_5000
            data = isESP32 ? 0x3F40_0020 : 0x3C00_0020
            code = isESP32 ? 0x400D_0000 : 0x4200_0000
        }
    }

    private static func descriptor(_ family: BoardFamily, _ version: String) -> [UInt8] {
        var descriptor: [UInt8] = littleEndian(0xABCD_5432 as UInt32) + [UInt8](repeating: 0, count: 12)
        descriptor += padded(version, 32) + padded(family.projectName, 32)
        descriptor += padded("12:00:00", 16) + padded("Jan  1 2026", 16) + padded("v6.1", 32)
        descriptor += [UInt8](repeating: 7, count: 32) + [UInt8](repeating: 0, count: 80)
        descriptor[180] = 16
        return descriptor
    }
}

private func padded(_ text: String, _ length: Int) -> [UInt8] {
    Array(text.utf8) + [UInt8](repeating: 0, count: length - text.utf8.count)
}

private func littleEndian<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
    (0..<Number.bitWidth / 8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
}

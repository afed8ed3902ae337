import Firmware

/// Firmware so small that a whole update is a few dozen exchanges, and sound in every respect.
struct SmallImage: Sendable {
    let image: SoundImage

    var bytes: [UInt8] { image.bytes }

    /// For the family `esp32`.
    init(version: String, length: Int) {
        let descriptor = Self.descriptor(version)
        let code = (0..<length).map {
            UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8 ^ version.utf8.reduce(0) { Int($0) + Int($1) })
        }
        var bytes: [UInt8] = [0xE9, 2, 2, 0x2F] + littleEndian(0x4008_1000 as UInt32)
        bytes += [0xEE, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 0, 0, 0, 0, 1]
        bytes += littleEndian(0x3F40_0020 as UInt32) + littleEndian(UInt32(descriptor.count)) + descriptor
        bytes += littleEndian(0x400D_0000 + UInt32(bytes.count + 8)) + littleEndian(UInt32(code.count)) + code
        let checksum = (descriptor + code).reduce(UInt8(0xEF), ^)
        bytes += [UInt8](repeating: 0, count: 15 - bytes.count % 16) + [checksum]
        guard let hash = ImageInspection(of: bytes + [UInt8](repeating: 0, count: 32)).hash,
            let image = try? ImageInspection(of: bytes + hash.computed).verdict.get()
        else { preconditionFailure("the image of the matrix is not sound") }
        self.image = image
    }

    private static func descriptor(_ version: String) -> [UInt8] {
        var descriptor: [UInt8] = littleEndian(0xABCD_5432 as UInt32) + [UInt8](repeating: 0, count: 12)
        descriptor += padded(version, 32) + padded("espurr-esp32", 32)
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

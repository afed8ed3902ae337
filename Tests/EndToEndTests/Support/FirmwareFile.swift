import Crypto
import TestSupport

/// A small ESP image, sound unless a field says otherwise: made here from the format's documentation, by neither of the
/// two that judge it.
struct FirmwareFile: Sendable {
    /// `project_name` of the application descriptor; nil: the image has no descriptor.
    var project: String?
    var version: String
    /// `esp_chip_id_t`: 0 is ESP32, 9 ESP32-S3.
    var chip: UInt16
    /// Bytes of the one segment.
    var size: Int
    var address: UInt32
    var hasHash = true
    /// What stands first in the segment where there is no descriptor.
    var lead: [UInt8] = []
    var tail: [UInt8] = []

    /// - Parameter size: a multiple of 4.
    init(_ version: String = "1.4.1", family: String = "v2-8m", size: Int = 16 << 10) {
        project = "espurr-\(family)"
        self.version = version
        self.size = size
        chip = family == "esp32" ? 0 : 9
        // Mapped data: its place in a 64 KiB page is the place in the file.
        address = family == "esp32" ? 0x3F40_0020 : 0x3C00_0020
    }

    func changed(_ change: (inout FirmwareFile) -> Void) -> FirmwareFile {
        var copy = self
        change(&copy)
        return copy
    }

    /// Where the segment's data begins.
    static let dataOffset = 32

    var bytes: [UInt8] {
        var data = (project.map(descriptor) ?? lead).prefix(size)
        data += (data.count..<size).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ version.utf8.count) }
        var image: [UInt8] = [0xE9, 1, 2, 0x2F] + little(chip == 0 ? UInt32(0x4008_1000) : 0x4037_5000)
        image += [0xEE, 0, 0, 0] + little(chip) + [0] + little(UInt16(0)) + little(UInt16.max)
        image += [0, 0, 0, 0, hasHash ? 1 : 0] + little(address) + little(UInt32(size)) + data
        image += [UInt8](repeating: 0, count: 15 - image.count % 16)
        image.append(data.reduce(0xEF, ^))
        return image + (hasHash ? HashAlgorithm.sha256.hash(of: image) : []) + tail
    }

    private func descriptor(_ project: String) -> [UInt8] {
        var bytes = little(UInt32(0xABCD_5432)) + [UInt8](repeating: 0, count: 12)
        for text in [version, project] { bytes += Array(text.utf8) + [UInt8](repeating: 0, count: 32 - text.utf8.count) }
        return bytes + [UInt8](repeating: 0, count: 256 - bytes.count)
    }

    /// Writes it as `NAME.bin` and gives the path.
    func write(to folder: TemporaryFolder, _ name: String = "firmware") throws -> String {
        try folder.write(bytes: bytes, to: name + ".bin")
    }
}

func little(_ number: some FixedWidthInteger) -> [UInt8] {
    (0..<number.bitWidth / 8).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
}

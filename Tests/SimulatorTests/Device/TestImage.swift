import Crypto

@testable import Simulator

/// Small images, laid out by hand: what the generator of the demonstration makes is checked against it, not used.
enum TestImage {
    /// Firmware of ears, of a few kilobytes.
    static func ears(
        _ version: String, family: BoardFamily = .esp32, project: String? = nil, length: Int = 8192
    ) -> [UInt8] {
        var content: [UInt8] = [0x32, 0x54, 0xCD, 0xAB] + [UInt8](repeating: 0, count: 12)
        content.append(text: version, paddedTo: 32)
        content.append(text: project ?? "espurr-\(family.rawValue)", paddedTo: 32)
        content += [UInt8](repeating: 0, count: 256 - content.count)
        content += (0..<length - 256).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ version.utf8.count) }
        return image(chip: family.chip, segments: [(0x3FFB_0000, content)])
    }

    static func image(
        chip: Chip = .esp32, magic: UInt8 = 0xE9, minimumRevision: UInt16 = 0, maximumRevision: UInt16 = .max,
        hasHash: Bool = true, segments: [(address: UInt32, data: [UInt8])]
    ) -> [UInt8] {
        var bytes: [UInt8] = [magic, UInt8(segments.count), 2, 0x2F, 0, 0x10, 8, 0x40, 0xEE, 0, 0, 0]
        bytes.append(littleEndian: chip.identifier)
        bytes.append(0)
        bytes.append(littleEndian: minimumRevision)
        bytes.append(littleEndian: maximumRevision)
        bytes += [0, 0, 0, 0, hasHash ? 1 : 0]
        var checksum: UInt8 = 0xEF
        for segment in segments {
            bytes.append(littleEndian: segment.address)
            bytes.append(littleEndian: UInt32(segment.data.count))
            bytes += segment.data
            checksum = segment.data.reduce(checksum, ^)
        }
        bytes += [UInt8](repeating: 0, count: 15 - bytes.count % 16) + [checksum]
        return hasHash ? bytes + HashAlgorithm.sha256.hash(of: bytes) : bytes
    }

    static let oldVersion = "1.0.0"
    static let newVersion = "1.1.0"

    /// Flash with these images in its slots and nothing else but a partition table.
    static func flash(_ first: [UInt8], _ second: [UInt8] = [], family: BoardFamily = .esp32) -> Flash {
        let table = PartitionTable.standard(for: family)
        var flash = Flash(size: family.flashSize)
        flash.write(table.encoded(), at: PartitionTable.offset)
        flash.write(first, at: table.slots[0].offset)
        flash.write(second, at: table.slots[1].offset)
        return flash
    }
}

import Firmware

// Files that are no applications at all, and images that are not for an application slot.

extension RefusedImages {
    static let otherFiles: [Case] = [
        Case("an empty file", [], .empty, kind: .empty),
        Case("noise", [0x83] + ImageBuilder.noise(1023, seed: 41), .notAnImage(firstByte: 0x83), kind: .unknown),
        Case("one byte", [0x00], .notAnImage(firstByte: 0), kind: .unknown),
        Case("erased flash", [UInt8](repeating: 0xFF, count: 9000), .erasedFlash, kind: .erasedFlash),
        compressed([0x1F, 0x8B, 8], .gzip), compressed([0x50, 0x4B, 3, 4], .zip),
        compressed([0xFD, 0x37, 0x7A, 0x58, 0x5A, 0], .xz), compressed([0x28, 0xB5, 0x2F, 0xFD], .zstandard),
        compressed(Array("BZh9".utf8), .bzip2),
        Case("an ELF file", [0x7F] + Array("ELF".utf8) + ImageBuilder.noise(60, seed: 42), .elf, kind: .elf),
        Case("a UF2 file", Array("UF2\n".utf8) + ImageBuilder.noise(508, seed: 43), .uf2, kind: .uf2),
        Case("a partition table", partitionTable, .partitionTable, kind: .partitionTable),
        Case("otadata", otadata(sequence: 1, crc: 0x4743_989A), .otadata, kind: .otadata),
        Case(
            "otadata whose second entry counts",
            [UInt8](repeating: 0xFF, count: 4096)
                + otadata(sequence: 2, crc: 0x55F6_3774).prefix(4096), .otadata, kind: .otadata),
        Case(
            "otadata whose CRC is wrong", otadata(sequence: 1, crc: 0x4743_989B), .notAnImage(firstByte: 1),
            kind: .unknown),
        Case("an ESP8266 image", esp8266, .esp8266Image, kind: .esp8266Application),
        Case(
            "an ESP8266 image of the second kind", [0xEA, 4] + esp8266.dropFirst(2), .esp8266Image,
            kind: .esp8266Application),
        Case("an ESP8266 image and half a word", esp8266 + [1], .sizeNotMultipleOfFour(size: 49), kind: .damagedImage),
    ]

    private static func compressed(_ start: [UInt8], _ compression: FileKind.Compression) -> Case {
        Case(
            "\(compression)", start + ImageBuilder.noise(100, seed: 44), .compressed(compression),
            kind: .compressed(compression))
    }

    /// Two rows, then erased.
    static let partitionTable: [UInt8] = {
        func row(_ type: UInt8, _ subtype: UInt8, at offset: UInt32, size: UInt32, _ label: String) -> [UInt8] {
            [0xAA, 0x50, type, subtype] + offset.littleEndianBytes + size.littleEndianBytes
                + Array(label.utf8) + [UInt8](repeating: 0, count: 20 - label.utf8.count)
        }
        let rows = row(1, 2, at: 0x9000, size: 0x5000, "nvs") + row(0, 0x10, at: 0x1_0000, size: 0x20_0000, "app0")
        return rows.padded(toMultipleOf: 0xC00)
    }()

    private static func otadata(sequence: UInt32, crc: UInt32) -> [UInt8] {
        let entry = sequence.littleEndianBytes + [UInt8](repeating: 0xFF, count: 24) + crc.littleEndianBytes
        return entry.padded(toMultipleOf: 8192)
    }

    /// Header of 8 bytes, one segment, checksum at the end of a line of 16.
    private static let esp8266: [UInt8] =
        [0xE9, 1, 0, 0] + UInt32(0x4010_0004).littleEndianBytes + UInt32(0x4010_0000).littleEndianBytes
        + UInt32(20).littleEndianBytes + ImageBuilder.noise(32, seed: 45)

    static let otherImages: [Case] = [
        Case("a bootloader, told by its code's place", bootloader(chip: 9), .bootloader, kind: .bootloader),
        Case("a bootloader that names itself", namedBootloader, .bootloader, kind: .bootloader),
        Case(
            "a signed bootloader", SignedImages.secureBootV2(bootloader(chip: 0)), .bootloader, kind: .bootloader),
        Case("half a bootloader", Array(bootloader(chip: 9).prefix(150)), .bootloader, kind: .bootloader),
        Case("a merged image from 0", merged(bootloader(chip: 9), tableAt: 0x8000), .mergedImage, kind: .mergedImage),
        Case(
            "an ESP32's merged image from 0",
            [UInt8](repeating: 0xFF, count: 0x1000) + merged(bootloader(chip: 0), tableAt: 0x7000), .mergedImage,
            kind: .mergedImage),
        Case(
            "an ESP32's merged image cut at 0x1000", merged(bootloader(chip: 0), tableAt: 0x7000), .mergedImage,
            kind: .mergedImage),
        Case(
            "a bootloader and an application", bootloader(chip: 9).padded(toMultipleOf: 0x1_0000) + sound,
            .mergedImage, kind: .mergedImage),
        withoutDescriptor("a RAM application", inMemory(chip: 9), .ramApplication),
        withoutDescriptor(
            "a simple-boot image", inMemory(chip: 0) + ImageBuilder.noise(20_000, seed: 46), .simpleBootImage),
        withoutDescriptor("a stub", stub, .headerStub),
        withoutDescriptor("an application without a descriptor", image { $0.segments[0].data[0] = 0 }, .application),
        Case("a header and no more", [0xE9], .truncated(.header, size: 1), kind: .damagedImage),
        Case(
            "a header and a segment that is not words", stub.changed { $0.put(UInt32(6), at: 28) },
            .segmentLengthNotMultipleOfFour(segment: 0, length: 6), kind: .damagedImage),
    ]

    private static func withoutDescriptor(_ fault: String, _ bytes: [UInt8], _ kind: FileKind) -> Case {
        Case(fault, bytes, .noApplicationDescriptor(kind), kind: kind)
    }

    private static func bootloader(chip: UInt16) -> [UInt8] {
        var builder = ImageBuilder(segments: [
            .init(address: chip == 9 ? 0x3FCE_3808 : 0x3FFF_0030, data: ImageBuilder.noise(96, seed: 48)),
            .init(address: chip == 9 ? 0x403C_C700 : 0x4007_8000, data: ImageBuilder.noise(96, seed: 49)),
        ])
        builder.chip = chip
        return builder.bytes
    }

    /// For a chip whose bootloader's place is not known here.
    private static let namedBootloader: [UInt8] = {
        let version = Array("v6.1".utf8) + [UInt8](repeating: 0, count: 28)
        let name = [0x50, 0, 0, 0, 1, 0, 0, 0] + version + [UInt8](repeating: 0, count: 40)
        var builder = ImageBuilder(segments: [.init(address: 0x4FF2_0000, data: name)])
        builder.chip = 0x12
        return builder.bytes
    }()

    private static func merged(_ bootloader: [UInt8], tableAt offset: Int) -> [UInt8] {
        bootloader.padded(toMultipleOf: offset) + partitionTable.padded(toMultipleOf: 0x1000) + sound
    }

    private static func inMemory(chip: UInt16) -> [UInt8] {
        var builder = ImageBuilder(segments: [
            .init(address: chip == 9 ? 0x3FC9_F500 : 0x3FFB_1F40, data: ImageBuilder.noise(64, seed: 50)),
            .init(address: chip == 9 ? 0x4037_4000 : 0x4008_0000, data: ImageBuilder.noise(64, seed: 51)),
        ])
        builder.chip = chip
        return builder.bytes
    }

    private static let stub: [UInt8] = {
        var builder = ImageBuilder(segments: [.init(address: 0xDEAD_BEEF, data: [])])
        builder.hashAppended = 0
        return builder.bytes
    }()
}

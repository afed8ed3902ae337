import Firmware
import ImageInvariants
import Testing

/// Files that are refused, each for one reason.
enum RefusedImages {
    struct Case: Sendable, CustomTestStringConvertible {
        let fault: String
        let bytes: [UInt8]
        let kind: FileKind
        let refusal: ImageRefusal

        var testDescription: String { fault }

        init(_ fault: String, _ bytes: [UInt8], _ refusal: ImageRefusal, kind: FileKind = .application) {
            self.fault = fault
            self.bytes = bytes
            self.kind = kind
            self.refusal = refusal
        }
    }

    static let all = header + segments + descriptor + footer + otherFiles + otherImages

    static let sound = ImageBuilder.esp32().bytes

    static func image(_ change: (inout ImageBuilder) -> Void) -> [UInt8] {
        var builder = ImageBuilder.esp32()
        change(&builder)
        return builder.bytes
    }

    private static let header: [Case] = [
        Case("a chip without a family", image { $0.chip = 5 }, .unsupportedChip(.esp32c3)),
        Case("a chip that nobody knows", image { $0.chip = 0x7777 }, .unsupportedChip(Chip(id: 0x7777))),
        Case("no segment", sound.changed { $0[1] = 0 }, .segmentCount(0)),
        Case("seventeen segments", sound.changed { $0[1] = 17 }, .segmentCount(17)),
        Case("an SPI mode that is none", image { $0.spiMode = 6 }, .spiMode(6)),
        Case("a hash flag of 2", image { $0.hashAppended = 2 }, .hashAppendedField(2)),
        Case(
            "a minimum revision above the maximum",
            image {
                $0.minimumRevision = 301
                $0.maximumRevision = 300
            },
            .contradictoryRevisions(minimum: ChipRevision(rawValue: 301), maximum: ChipRevision(rawValue: 300))),
    ]

    private static let segments: [Case] = [
        Case(
            "a segment that is not words", sound.changed { $0.put(UInt32(63), at: 388) }.resealed(),
            .segmentLengthNotMultipleOfFour(segment: 1, length: 63)),
        Case(
            "a segment of 16 MiB", sound.changed { $0.put(UInt32(16 << 20), at: 388) },
            .segmentTooLong(segment: 1, length: 16 << 20)),
        Case(
            "a mapped segment that is a word off", image { $0.segments[0].address += 4 },
            .mappedSegmentMisaligned(segment: 0, offset: 32, loadAddress: 0x3F40_0024)),
        Case(
            "a mapped segment that is a small page off", image { $0.segments[0].address += 0x8000 },
            .mappedSegmentMisaligned(segment: 0, offset: 32, loadAddress: 0x3F40_8020)),
        Case(
            "code mapped where it does not stand", image { $0.segments[2].address = 0x400D_0020 },
            .mappedSegmentMisaligned(segment: 2, offset: 464, loadAddress: 0x400D_0020)),
        Case(
            "a segment in the other chip's memory", image { $0.segments[1].address = 0x600F_E000 },
            .segmentOutsideMemory(segment: 1, loadAddress: 0x600F_E000)),
        Case(
            "a segment that begins right above the padding", image { $0.segments[1].address = 0x1000_0000 },
            .segmentOutsideMemory(segment: 1, loadAddress: 0x1000_0000)),
        Case(
            "a segment that runs out of memory", image { $0.segments[1].address = 0x3FFF_FFE0 },
            .segmentOutsideMemory(segment: 1, loadAddress: 0x3FFF_FFE0)),
        Case(
            "a segment at the end of the address space", image { $0.segments[1].address = .max - 3 },
            .segmentOutsideMemory(segment: 1, loadAddress: .max - 3)),
        Case(
            "two segments in one place", image { $0.segments[1].address = 0x4008_0010 }, .segmentsOverlap(1, 2)),
    ]

    private static let descriptor: [Case] = [
        Case(
            "a first segment shorter than the descriptor",
            image {
                let data = $0.segments[0].data
                $0.segments[0].data = Array(data[..<252])
                $0.segments[1].data += data[252...]
            },
            .descriptorOutsideSegment),
        Case("a version without its NUL", text(at: 48, [UInt8](repeating: 0x31, count: 32)), .unreadableText(.version)),
        Case("an escape in the version", text(at: 48, [0x31, 0x1B, 0x5B, 0x32, 0x4A]), .unreadableText(.version)),
        Case("half a character in the version", text(at: 48, [0x31, 0xC3, 0]), .unreadableText(.version)),
        Case("a character that turns text round", text(at: 48, Array("1\u{202E}2".utf8)), .unreadableText(.version)),
        Case(
            "a project name without its NUL", text(at: 80, [UInt8](repeating: 0x61, count: 32)),
            .unreadableText(.projectName)),
        Case("a newline in the project name", text(at: 80, [0x65, 0x0A]), .unreadableText(.projectName)),
        Case(
            "a family of the other chip", ImageBuilder.esp32(project: "espurr-v2-8m").bytes,
            .chipOfAnotherFamily(.esp32, project: .v2Flash8MB)),
        Case(
            "the other chip's family", ImageBuilder.esp32s3(project: "espurr-esp32").bytes,
            .chipOfAnotherFamily(.esp32s3, project: .esp32)),
    ]

    private static func text(at offset: Int, _ bytes: [UInt8]) -> [UInt8] {
        sound.changed { $0.replaceSubrange(offset..., with: bytes, limit: 32) }.resealed()
    }

    private static let checksumOffset = sound.count - 33

    private static let footer: [Case] = [
        Case(
            "another checksum", sound.changed { $0[checksumOffset] ^= 0x40 },
            .checksumMismatch(stored: sound[checksumOffset] ^ 0x40, computed: sound[checksumOffset])),
        Case(
            "a changed byte of data", sound.changed { $0[500] ^= 1 },
            .checksumMismatch(stored: sound[checksumOffset], computed: sound[checksumOffset] ^ 1)),
        Case("no hash", image { $0.hashAppended = 0 }, .noAppendedHash),
        Case(
            "another hash", sound.changed { $0[sound.count - 1] ^= 1 },
            .hashMismatch(
                stored: sound.suffix(32).changed { $0[31] ^= 1 }, computed: Array(sound.suffix(32)))),
        Case("a byte behind the image", sound + [0x2A], .foreignTail(offset: sound.count, byte: 0x2A)),
        Case(
            "half a signature sector", Array(SignedImages.secureBootV2(sound).prefix(6000)),
            .damagedSignatureSector(offset: 4096, .truncated)),
        Case(
            "an image cut short", Array(sound.dropLast(40)), .truncated(.checksum, size: sound.count - 40)),
    ]
}

extension ArraySlice<UInt8> {
    fileprivate func changed(_ change: (inout [UInt8]) -> Void) -> [UInt8] {
        Array(self).changed(change)
    }
}

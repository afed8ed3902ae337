import Crypto
import TestSupport

/// Makes ESP images from their fields, any of which may be wrong. Knows the format from ESP-IDF's documentation and
/// shares nothing with what it tests.
struct ImageBuilder: Sendable {
    struct Segment: Sendable {
        var address: UInt32
        var data: [UInt8]
    }

    var segmentCount: UInt8?
    var spiMode: UInt8 = 2
    var speedAndSize: UInt8 = 0x20
    var entry: UInt32 = 0x4008_0000
    var chip: UInt16 = 0
    var minimumRevision: UInt16 = 0
    var maximumRevision: UInt16 = 0xFFFF
    var hashAppended: UInt8 = 1
    var segments: [Segment]
    var tail: [UInt8] = []

    static func esp32(project: String = "espurr-esp32", version: String = "1.2.0") -> ImageBuilder {
        ImageBuilder(segments: [
            Segment(address: 0x3F40_0020, data: descriptor(project: project, version: version) + noise(96, seed: 1)),
            Segment(address: 0x3FFB_0000, data: noise(64, seed: 2)),
            Segment(address: 0x4008_0000, data: noise(148, seed: 3)),
        ])
    }

    static func esp32s3(project: String = "espurr-s3", version: String = "1.2.0") -> ImageBuilder {
        var image = ImageBuilder(segments: [
            Segment(address: 0x3C02_0020, data: descriptor(project: project, version: version) + noise(32, seed: 4)),
            Segment(address: 0x3FC9_0000, data: noise(20, seed: 5)),
            Segment(address: 0x4037_4000, data: noise(60, seed: 6)),
        ])
        image.chip = 9
        image.entry = 0x4037_4000
        return image
    }

    /// As the linker lays a real one out: padding before the code, so that its place in flash can be mapped.
    static func esp32WithCode(project: String = "espurr-esp32") -> ImageBuilder {
        var image = esp32(project: project)
        let used = image.segments.reduce(24) { $0 + 8 + $1.data.count }
        image.segments.append(Segment(address: 0, data: [UInt8](repeating: 0, count: 0x1_0018 - used - 16)))
        image.segments.append(Segment(address: 0x400D_0018, data: noise(400, seed: 7)))
        return image
    }

    /// 256 bytes.
    static func descriptor(project: String, version: String) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 256)
        bytes.put(UInt32(0xABCD_5432), at: 0)
        bytes.put(UInt32(3), at: 4)
        bytes.replaceSubrange(16..., with: version.utf8, limit: 32)
        bytes.replaceSubrange(48..., with: project.utf8, limit: 32)
        bytes.replaceSubrange(80..., with: "12:34:56".utf8, limit: 16)
        bytes.replaceSubrange(96..., with: "Nov 30 2026".utf8, limit: 16)
        bytes.replaceSubrange(112..., with: "v6.1".utf8, limit: 32)
        bytes.replaceSubrange(144..., with: noise(32, seed: 8), limit: 32)
        bytes.put(UInt16(0), at: 176)
        bytes.put(UInt16(199), at: 178)
        bytes[180] = 16
        bytes[181] = 2
        return bytes
    }

    /// Header, segments, checksum, hash, tail.
    var bytes: [UInt8] {
        var image: [UInt8] = [0xE9, segmentCount ?? UInt8(segments.count), spiMode, speedAndSize]
        image += entry.littleEndianBytes
        image += [0xEE, 0, 0, 0]
        image += chip.littleEndianBytes
        image += [0] + minimumRevision.littleEndianBytes + maximumRevision.littleEndianBytes
        image += [0, 0, 0, 0, hashAppended]
        for segment in segments {
            image += segment.address.littleEndianBytes + UInt32(segment.data.count).littleEndianBytes + segment.data
        }
        image += [UInt8](repeating: 0, count: 15 - image.count % 16)
        image.append(segments.reduce(0xEF) { $1.data.reduce($0, ^) })
        if hashAppended == 1 { image += HashAlgorithm.sha256.hash(of: image) }
        return image + tail
    }

    static func noise(_ count: Int, seed: UInt64) -> [UInt8] {
        var generator = SeededRandom(seed: seed)
        return (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
    }
}

extension FixedWidthInteger {
    var littleEndianBytes: [UInt8] {
        (0..<Self.bitWidth / 8).map { UInt8(truncatingIfNeeded: self >> ($0 * 8)) }
    }
}

extension [UInt8] {
    mutating func put(_ value: some FixedWidthInteger, at offset: Int) {
        replaceSubrange(offset..., with: value.littleEndianBytes, limit: .max)
    }

    /// Overwrites from the range's start; the array keeps its length.
    mutating func replaceSubrange(_ range: PartialRangeFrom<Int>, with new: some Collection<UInt8>, limit: Int) {
        for (offset, byte) in zip(range.lowerBound..., new.prefix(limit)) { self[offset] = byte }
    }

    func changed(_ change: (inout [UInt8]) -> Void) -> [UInt8] {
        var copy = self
        change(&copy)
        return copy
    }

    func padded(toMultipleOf step: Int, with byte: UInt8 = 0xFF) -> [UInt8] {
        self + [UInt8](repeating: byte, count: (step - count % step) % step)
    }
}

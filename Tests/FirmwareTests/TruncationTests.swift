import Testing

@testable import Firmware

@Suite struct TruncationTests {
    private static let image = ImageBuilder.esp32().bytes

    @Test func `an image cut at any byte is refused`() {
        for length in 0..<Self.image.count {
            let verdict = ImageInspection(of: Array(Self.image.prefix(length))).verdict
            #expect(throws: ImageRefusal.self, "\(length) bytes") { try verdict.get() }
        }
    }

    @Test func `what it was cut in is named`() {
        // Header to 24; segments 24, 384 and 456; checksum at 623; hash to 656.
        let parts: [(Range<Int>, ImageRefusal.Part)] = [
            (36..<384, .segmentData(0)), (384..<392, .segmentHeader(1)), (392..<456, .segmentData(1)),
            (456..<464, .segmentHeader(2)), (464..<612, .segmentData(2)), (612..<624, .checksum), (624..<656, .hash),
        ]
        for (range, part) in parts {
            for size in range {
                let inspection = ImageInspection(of: Array(Self.image.prefix(size)))
                #expect(inspection.verdict == .failure(.truncated(part, size: size)))
                #expect(inspection.kind == .application)
            }
        }
    }

    @Test func `an image that cannot be named yet is truncated in its header`() {
        for size in 1..<24 {
            #expect(
                ImageInspection(of: Array(Self.image.prefix(size))).verdict
                    == .failure(.truncated(.header, size: size)))
        }
    }

    @Test func `a signature sector cut at any byte is refused`() {
        let signed = SignedImages.secureBootV2(Self.image)
        for length in 4097..<signed.count {
            let verdict = ImageInspection(of: Array(signed.prefix(length))).verdict
            #expect(verdict == .failure(.damagedSignatureSector(offset: 4096, .truncated)), "\(length) bytes")
        }
    }
}

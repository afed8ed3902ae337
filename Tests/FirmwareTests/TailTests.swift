import Testing

@testable import Firmware

@Suite struct TailTests {
    static let image = ImageBuilder.esp32().bytes
    /// An image that ends on a 4 KiB boundary.
    static let aligned: [UInt8] = {
        var builder = ImageBuilder.esp32()
        let missing = 4096 - builder.bytes.count
        builder.segments[1].data += ImageBuilder.noise(missing, seed: 31)
        return builder.bytes
    }()

    private func tail(of bytes: [UInt8]) throws -> ImageTail? {
        let inspection = ImageInspection(of: bytes)
        _ = try inspection.verdict.get()
        return inspection.tail
    }

    @Test func `nothing may follow`() throws {
        #expect(try tail(of: Self.image) == .nothing)
    }

    @Test(arguments: [1, 7, 80, 4096, 100_000]) func `erased flash may follow`(length: Int) throws {
        #expect(
            try tail(of: Self.image + [UInt8](repeating: 0xFF, count: length)) == .erased(length: length))
    }

    @Test(arguments: 0...12) func `a Secure Boot v1 trailer with up to twelve bytes of anything may follow`(
        fill: Int
    ) throws {
        let trailer = SignedImages.secureBootV1Trailer(fill: fill)
        #expect(try tail(of: Self.image + trailer) == .signatureTrailer(offset: Self.image.count))
    }

    @Test func `a signed image read back from flash has erased flash behind the signature`() throws {
        let erased = [UInt8](repeating: 0xFF, count: 5000)
        let trailer = SignedImages.secureBootV1Trailer()
        #expect(try tail(of: Self.image + trailer + erased) == .signatureTrailer(offset: Self.image.count))
        let sector = try tail(of: SignedImages.secureBootV2(Self.image))
        #expect(try tail(of: SignedImages.secureBootV2(Self.image) + erased) == sector)
    }

    @Test(arguments: 1...3) func `a Secure Boot v2 sector of one to three blocks may follow`(blocks: Int) throws {
        guard case .signatureSector(let sector) = try tail(of: SignedImages.secureBootV2(Self.image, blocks: blocks))
        else {
            Issue.record("no sector found")
            return
        }
        #expect(sector.offset == 4096)
        #expect(sector.blockCount == blocks)
    }

    @Test func `a sector follows at once where the image ends on a boundary`() throws {
        #expect(Self.aligned.count == 4096)
        guard case .signatureSector(let sector) = try tail(of: SignedImages.secureBootV2(Self.aligned)) else {
            Issue.record("no sector found")
            return
        }
        #expect(sector.offset == 4096)
    }

    @Test(arguments: [
        [0], [0x00, 0xFF], [0xFF, 0xFF, 0x7F], [UInt8](repeating: 0, count: 4096), [UInt8](repeating: 0, count: 80),
        [0xE7, 2] + [UInt8](repeating: 0xFF, count: 4094), [0xE9],
    ]) func `anything else is refused with its place`(foreign: [UInt8]) {
        let offset = Self.image.count + foreign.prefix { $0 == 0xFF }.count
        #expect(
            ImageInspection(of: Self.image + foreign).verdict
                == .failure(.foreignTail(offset: offset, byte: foreign.first { $0 != 0xFF } ?? 0)))
    }

    @Test(arguments: [
        SignedImages.secureBootV1Trailer(fill: 13),
        Array(SignedImages.secureBootV1Trailer(fill: 0).dropLast()),
        [1] + SignedImages.secureBootV1Trailer().dropFirst(),
        Array(SignedImages.secureBootV1Trailer(fill: 0).prefix(36)) + [UInt8](repeating: 0, count: 32),
        SignedImages.secureBootV1Trailer() + [0xFF, 0],
    ]) func `what only looks like a trailer is refused`(trailer: [UInt8]) {
        #expect(
            ImageInspection(of: Self.image + trailer).verdict
                == .failure(.foreignTail(offset: Self.image.count, byte: trailer[0])))
    }

    @Test func `a sector is named wherever its fault is`() {
        let signed = SignedImages.secureBootV2(Self.image, blocks: 2)
        let block = 4096
        let second = block + 1216
        let crc = SignedImages.crc32(Array(signed[block..<(block + 1196)]))
        let cases: [([UInt8], SignatureSector.Fault)] = [
            (Array(signed.dropLast()), .truncated),
            (signed.changed { $0[second] = 0xE6 }, .notABlock(1, firstByte: 0xE6)),
            (signed.changed { $0[block + 1] = 9 }, .version(0, 9)),
            (SignedImages.secureBootV2(Self.image, version: 3), .version(0, 3)),
            (signed.changed { $0[block + 1196] ^= 1 }, .crc(0, stored: crc ^ 1, computed: crc)),
            (signed.changed { $0[block + 3 * 1216] = 0 }, .foreign(offset: block + 3 * 1216, byte: 0)),
        ]
        for (bytes, fault) in cases {
            #expect(
                ImageInspection(of: bytes).verdict == .failure(.damagedSignatureSector(offset: block, fault)))
        }
    }

    @Test func `a sector made for another image is refused`() {
        let other = SignedImages.secureBootV2(ImageBuilder.esp32(version: "1.2.1").bytes)
        let bytes = Self.image.padded(toMultipleOf: 4096) + other[4096...]
        #expect(
            ImageInspection(of: bytes).verdict == .failure(.damagedSignatureSector(offset: 4096, .digest(0))))
    }

    @Test func `what stands behind a sector is refused`() {
        let bytes = SignedImages.secureBootV2(Self.image) + [0xFF, 0x00]
        #expect(ImageInspection(of: bytes).verdict == .failure(.foreignTail(offset: 8193, byte: 0)))
    }
}

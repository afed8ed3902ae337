import Crypto
import Foundation
import Testing

@testable import Firmware

/// An image is judged alike wherever its bytes come from and however they are cut.
@Suite struct PieceTests {
    /// Bytes in memory that are gone through in pieces of any length.
    private struct CutBytes: ImageSource {
        let bytes: [UInt8]
        let pieceLength: Int

        var size: Int { bytes.count }

        func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(Never) {
            buffer.copyBytes(from: bytes[offset..<(offset + buffer.count)])
        }
    }

    private static let images: [[UInt8]] =
        RefusedImages.all.map(\.bytes)
        + [
            ImageBuilder.esp32WithCode().bytes,
            ImageBuilder.esp32().bytes + SignedImages.secureBootV1Trailer() + [UInt8](repeating: 0xFF, count: 9000),
            SignedImages.secureBootV2(ImageBuilder.esp32s3().bytes, blocks: 3) + [UInt8](repeating: 0xFF, count: 9000),
        ]
        + MutatedImages.make(count: 100, seed: 0x9EC5).map(\.bytes)

    @Test(arguments: [1, 13, 33, 4096, 65536]) func `cut into pieces of any length, a file is judged as a whole one`(
        length: Int
    ) {
        for bytes in Self.images where bytes.count < length * 5000 {
            let source = CutBytes(bytes: bytes, pieceLength: length)
            let cut = ImageInspection(of: source, contents: .memory(BytesInMemory(bytes: bytes)))
            expectEqual(cut, ImageInspection(of: bytes))
        }
    }

    @Test func `a file is judged as its bytes in memory`() throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "espurr-pieces-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: path) }
        for bytes in Self.images {
            try Data(bytes).write(to: path)
            let inspection = try ImageInspection(of: ImageFile(path.path))
            expectEqual(inspection, ImageInspection(of: bytes))
            guard case .success(let image) = inspection.verdict else { continue }
            #expect(try image.bytes(in: 0..<image.size) == bytes)
        }
    }

    private func expectEqual(_ one: ImageInspection, _ other: ImageInspection) {
        #expect(one.verdict == other.verdict)
        #expect(one.sha256 == other.sha256)
        #expect(one.size == other.size)
        #expect(one.kind == other.kind)
        #expect(one.chip == other.chip)
        #expect(one.segments == other.segments)
        #expect(one.checksum == other.checksum)
        #expect(one.hash == other.hash)
        #expect(one.descriptor == other.descriptor)
        #expect(one.tail == other.tail)
    }

    @Test func `sums are those of the ranges and of what stands before the offsets`() {
        let bytes = ImageBuilder.noise(1000, seed: 91)
        let ranges = [3..<4, 10..<500, 499..<999]
        let offsets = [999, 0, 1, 64, 640]
        for length in [1, 7, 64, 4096] {
            let sums = ContentSums(
                of: CutBytes(bytes: bytes, pieceLength: length), ranges: ranges, prefixes: offsets + [1000, 2000])
            #expect(sums.sha256 == HashAlgorithm.sha256.hash(of: bytes))
            #expect(sums.exclusiveOr == ranges.flatMap { bytes[$0] }.reduce(0, ^))
            for offset in offsets {
                #expect(sums.digest(before: offset) == HashAlgorithm.sha256.hash(of: Array(bytes[..<offset])))
            }
            #expect(sums.digest(before: 2) == nil)
            #expect(sums.digest(before: 1000) == nil)
        }
    }
}

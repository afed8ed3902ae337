import Foundation
import TestSupport
import Testing

@testable import Firmware

@Suite struct ImageReaderTests {
    private let bytes = ImageBuilder.esp32().bytes

    @Test(arguments: [1, 7, 100, 1 << 20]) func `pieces of any length are the image, forwards and again from a gap`(
        blockLength: Int
    ) throws {
        var reader = ImageReader(try ImageInspection(of: bytes).verdict.get(), blockLength: blockLength)
        for length in [1, 50, 99, 101, 350] {
            for start in stride(from: 0, to: bytes.count, by: length) {
                let end = min(bytes.count, start + length)
                #expect(try reader.bytes(at: start, count: end - start) == Array(bytes[start..<end]))
            }
        }
    }

    @Test func `what was read before the file was written over is what was judged, and nothing comes after`() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(bytes: bytes, to: "image.bin")
        var reader = ImageReader(try ImageInspection(of: ImageFile(file)).verdict.get(), blockLength: 100)
        #expect(try reader.bytes(at: 0, count: 10) == Array(bytes[0..<10]))
        try FileManager.default.setAttributes([.modificationDate: Date(timeIntervalSince1970: 1)], ofItemAtPath: file)
        #expect(try reader.bytes(at: 90, count: 10) == Array(bytes[90..<100]))
        #expect(throws: ImageFileError.changedWhileRead) { try reader.bytes(at: 100, count: 10) }
    }

    @Test(arguments: [0, 300]) func `a byte that is written over, the file's time put back, is seen wherever it stands`(
        offset: Int
    ) throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(bytes: bytes, to: "image.bin")
        var reader = ImageReader(try ImageInspection(of: ImageFile(file)).verdict.get(), blockLength: 100)
        #expect(try reader.bytes(at: 0, count: 10) == Array(bytes[0..<10]))
        try overwriteKeepingTime(file, at: UInt64(offset), with: [bytes[offset] ^ 1])
        #expect(throws: ImageFileError.changedWhileRead) { try reader.bytes(at: 100, count: 10) }
    }

    @Test func `another name, a name less and other permissions leave the image as it is`() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(bytes: bytes, to: "image.bin")
        var reader = ImageReader(try ImageInspection(of: ImageFile(file)).verdict.get(), blockLength: 100)
        let changes: [() -> Int32] = [
            { link(file, file + "2") }, { chmod(file, 0o400) }, { rename(file, file + "3") }, { unlink(file + "2") },
        ]
        for (number, change) in changes.enumerated() {
            try #require(change() == 0)
            let range = (100 * number)..<(100 * number + 100)
            #expect(try reader.bytes(at: range.lowerBound, count: 100) == Array(bytes[range]))
        }
    }
}

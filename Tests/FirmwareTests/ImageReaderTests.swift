import Foundation
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
        let folder = FileManager.default.temporaryDirectory.appending(path: "espurr-reader-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "image.bin")
        try Data(bytes).write(to: file)
        var reader = ImageReader(try ImageInspection(of: ImageFile(file.path)).verdict.get(), blockLength: 100)
        #expect(try reader.bytes(at: 0, count: 10) == Array(bytes[0..<10]))
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: 1)], ofItemAtPath: file.path)
        #expect(try reader.bytes(at: 90, count: 10) == Array(bytes[90..<100]))
        #expect(throws: ImageFileError.changedWhileRead) { try reader.bytes(at: 100, count: 10) }
    }
}

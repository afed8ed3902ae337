import Foundation
import TestSupport
import Testing

@testable import Firmware

@Suite struct ImageFileTests: ~Copyable {
    private let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "espurr-firmware-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    private func path(_ name: String) -> String { folder.appending(path: name).path }

    private func write(_ bytes: [UInt8], to name: String) throws -> String {
        try Data(bytes).write(to: folder.appending(path: name))
        return path(name)
    }

    /// Bytes that are never written: the file system keeps none of them.
    private func writeSparse(_ size: UInt64, to name: String) throws -> String {
        let path = try write([], to: name)
        let handle = try #require(FileHandle(forWritingAtPath: path))
        try handle.truncate(atOffset: size)
        return path
    }

    @Test func `a file is read whole`() throws {
        let bytes = ImageBuilder.noise(100_001, seed: 81)
        #expect(try Self.read(write(bytes, to: "image.bin")) == bytes)
    }

    @Test func `an empty file has no bytes`() throws {
        #expect(try Self.read(write([], to: "empty.bin")) == [])
    }

    @Test func `a file that is not there is missing`() {
        #expect(throws: ImageFileError.missing) { try Self.read(path("none.bin")) }
        #expect(throws: ImageFileError.missing) { try Self.read("") }
    }

    @Test func `below a file there is nothing`() throws {
        let file = try write([1], to: "file")
        #expect(throws: ImageFileError.missing) { try Self.read(file + "/image.bin") }
    }

    @Test func `a folder is a folder`() {
        #expect(throws: ImageFileError.folder) { try Self.read(folder.path) }
    }

    @Test func `a pipe without a writer is refused and not waited for`() throws {
        try #require(mkfifo(path("pipe"), 0o600) == 0)
        #expect(throws: ImageFileError.notRegularFile) { try Self.read(path("pipe")) }
    }

    @Test func `a device is refused`() {
        #expect(throws: ImageFileError.notRegularFile) { try Self.read("/dev/zero") }
    }

    @Test func `a loop of links is unreadable`() throws {
        try FileManager.default.createSymbolicLink(atPath: path("loop"), withDestinationPath: path("loop"))
        #expect(throws: ImageFileError.unreadable(errno: ELOOP)) { try Self.read(path("loop")) }
    }

    @Test func `a sparse file of 4 GiB is refused unread`() throws {
        let file = try writeSparse(4 << 30, to: "sparse.bin")
        #expect(throws: ImageFileError.tooLarge(size: 4 << 30, limit: 16 << 20)) { try Self.read(file) }
    }

    @Test func `the limit itself is allowed and a byte more is not`() throws {
        let largest = try writeSparse(UInt64(ImageFile.sizeLimit), to: "largest.bin")
        #expect(try Self.read(largest).count == ImageFile.sizeLimit)
        let larger = try writeSparse(UInt64(ImageFile.sizeLimit) + 1, to: "larger.bin")
        #expect(throws: ImageFileError.tooLarge(size: 16_777_217, limit: 16_777_216)) { try Self.read(larger) }
    }

    @Test(arguments: [0, 999, 1001]) func `a file that changes length after it was opened is not believed`(
        size: UInt64
    ) throws {
        let name = try write(ImageBuilder.noise(1000, seed: 82), to: "changing.bin")
        let file = try ImageFile(name)
        let handle = try #require(FileHandle(forWritingAtPath: name))
        try handle.truncate(atOffset: size)
        #expect(throws: ImageFileError.changedWhileRead) { try file.bytes(in: 0..<10) }
        #expect(throws: ImageFileError.changedWhileRead) { try ImageInspection(of: file) }
    }

    @Test func `a file that is written over after it was opened is not believed`() throws {
        let name = try write([1, 2, 3], to: "changing.bin")
        let file = try ImageFile(name)
        try FileManager.default.setAttributes([.modificationDate: Date(timeIntervalSince1970: 1)], ofItemAtPath: name)
        #expect(throws: ImageFileError.changedWhileRead) { try file.bytes(in: 0..<1) }
    }

    @Test func `a file that is cut short under the reader is changed, not unreadable`() throws {
        let name = try write(ImageBuilder.noise(1000, seed: 83), to: "changing.bin")
        let file = try ImageFile(name)
        #expect(try file.bytes(in: 0..<1000).count == 1000)
        let handle = try #require(FileHandle(forWritingAtPath: name))
        try handle.truncate(atOffset: 500)
        #expect(throws: ImageFileError.changedWhileRead) { try file.bytes(in: 600..<700) }
    }

    @Test func `a file that is replaced or removed after it was opened is read on`() throws {
        let bytes = ImageBuilder.esp32().bytes
        let name = try write(bytes, to: "image.bin")
        let image = try ImageInspection(of: ImageFile(name)).verdict.get()
        try Data([1, 2, 3]).write(to: folder.appending(path: "other"))
        try #require(rename(path("other"), name) == 0)
        #expect(try image.bytes(in: 0..<image.size) == bytes)
        try #require(unlink(name) == 0)
        #expect(try image.bytes(in: 100..<200) == Array(bytes[100..<200]))
    }

    @Test func `an image whose file is written over in place gives no byte any more`() throws {
        let name = try write(ImageBuilder.esp32().bytes, to: "image.bin")
        let image = try ImageInspection(of: ImageFile(name)).verdict.get()
        let handle = try #require(FileHandle(forWritingAtPath: name))
        try handle.write(contentsOf: Data([0xE9]))
        let then = timespec(tv_sec: 1, tv_nsec: 0)
        try #require(utimensat(AT_FDCWD, name, [then, then], 0) == 0)
        #expect(throws: ImageFileError.changedWhileRead) { try image.bytes(in: 0..<1) }
    }

    @Test func `an image whose file is written over, its time put back, gives no byte until it is as before`() throws {
        let bytes = ImageBuilder.esp32().bytes
        let name = try write(bytes, to: "image.bin")
        let image = try ImageInspection(of: ImageFile(name)).verdict.get()
        try overwriteKeepingTime(name, at: 300, with: [bytes[300] ^ 1])
        #expect(throws: ImageFileError.changedWhileRead) { try image.bytes(in: 0..<1) }
        #expect(throws: ImageFileError.changedWhileRead) { try image.check() }
        try overwriteKeepingTime(name, at: 300, with: [bytes[300]])
        #expect(try image.bytes(in: 0..<image.size) == bytes)
        try image.check()
    }

    @Test func `a descriptor is closed with the last that holds the image`() throws {
        let name = try write(ImageBuilder.esp32().bytes, to: "image.bin")
        var image: SoundImage? = try ImageInspection(of: ImageFile(name)).verdict.get()
        #expect(image != nil)
        #expect(openDescriptors(of: name) == 1)
        image = nil
        #expect(openDescriptors(of: name) == 0)
    }

    private func openDescriptors(of path: String) -> Int {
        let numbers = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        return numbers.count {
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")) == path
        }
    }

    private static func read(_ path: String) throws(ImageFileError) -> [UInt8] {
        let file = try ImageFile(path)
        return try file.bytes(in: 0..<file.size)
    }
}

import Foundation
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
        #expect(try ImageFile.read(write(bytes, to: "image.bin")) == bytes)
    }

    @Test func `an empty file has no bytes`() throws {
        #expect(try ImageFile.read(write([], to: "empty.bin")) == [])
    }

    @Test func `a file that is not there is missing`() {
        #expect(throws: ImageFileError.missing) { try ImageFile.read(path("none.bin")) }
        #expect(throws: ImageFileError.missing) { try ImageFile.read("") }
    }

    @Test func `below a file there is nothing`() throws {
        let file = try write([1], to: "file")
        #expect(throws: ImageFileError.missing) { try ImageFile.read(file + "/image.bin") }
    }

    @Test func `a folder is a folder`() {
        #expect(throws: ImageFileError.folder) { try ImageFile.read(folder.path) }
    }

    @Test func `a pipe without a writer is refused and not waited for`() throws {
        try #require(mkfifo(path("pipe"), 0o600) == 0)
        #expect(throws: ImageFileError.notRegularFile) { try ImageFile.read(path("pipe")) }
    }

    @Test func `a device is refused`() {
        #expect(throws: ImageFileError.notRegularFile) { try ImageFile.read("/dev/zero") }
    }

    @Test func `a loop of links is unreadable`() throws {
        try FileManager.default.createSymbolicLink(atPath: path("loop"), withDestinationPath: path("loop"))
        #expect(throws: ImageFileError.unreadable(errno: ELOOP)) { try ImageFile.read(path("loop")) }
    }

    @Test func `a sparse file of 4 GiB is refused unread`() throws {
        let file = try writeSparse(4 << 30, to: "sparse.bin")
        #expect(throws: ImageFileError.tooLarge(size: 4 << 30, limit: 16 << 20)) { try ImageFile.read(file) }
    }

    @Test func `the limit itself is allowed and a byte more is not`() throws {
        let largest = try writeSparse(UInt64(ImageFile.sizeLimit), to: "largest.bin")
        #expect(try ImageFile.read(largest).count == ImageFile.sizeLimit)
        let larger = try writeSparse(UInt64(ImageFile.sizeLimit) + 1, to: "larger.bin")
        #expect(throws: ImageFileError.tooLarge(size: 16_777_217, limit: 16_777_216)) { try ImageFile.read(larger) }
    }

    @Test(arguments: [0, 999, 1001]) func `a file that changes length after it was opened is not believed`(
        size: UInt64
    ) throws {
        let name = try write(ImageBuilder.noise(1000, seed: 82), to: "changing.bin")
        let file = try ImageFile(name)
        let handle = try #require(FileHandle(forWritingAtPath: name))
        try handle.truncate(atOffset: size)
        let refusal = Self.refusal(of: file)
        #expect(refusal == .changedWhileRead)
    }

    @Test func `a file that is written over after it was opened is not believed`() throws {
        let name = try write([1, 2, 3], to: "changing.bin")
        let file = try ImageFile(name)
        try FileManager.default.setAttributes([.modificationDate: Date(timeIntervalSince1970: 1)], ofItemAtPath: name)
        let refusal = Self.refusal(of: file)
        #expect(refusal == .changedWhileRead)
    }

    private static func refusal(of file: consuming ImageFile) -> ImageFileError? {
        do throws(ImageFileError) {
            _ = try file.read()
            return nil
        } catch {
            return error
        }
    }
}

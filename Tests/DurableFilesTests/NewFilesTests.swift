import DurableFiles
import Foundation
import Testing

@Suite struct NewFilesTests {
    private let folder: DurableFileTests.Folder

    init() throws { folder = try DurableFileTests.Folder() }

    private func file(_ name: String, _ bytes: [UInt8] = [1, 2]) -> NewFile {
        NewFile(path: folder.path + "/" + name, bytes: bytes)
    }

    @Test func `all appear, whole and alone`() throws {
        try publishTogether([file("a", [1]), file("b", []), file("c", [3, 3])])
        #expect(folder.names == ["a", "b", "c"])
        #expect(folder.bytes("a") == [1])
        #expect(folder.bytes("b") == [])
        #expect(folder.bytes("c") == [3, 3])
    }

    @Test func `no file is no work`() throws {
        try publishTogether([])
        #expect(folder.names == [])
    }

    @Test(arguments: ["a", "b", "c"]) func `where one name is taken, none appears, and what was there stays`(
        taken: String
    ) throws {
        try DurableFile.replace(folder.path + "/" + taken, with: [9])
        #expect(throws: DurableFileError.failed(.rename, path: folder.path + "/" + taken, errno: EEXIST)) {
            try publishTogether([file("a"), file("b"), file("c")])
        }
        #expect(folder.names == [taken])
        #expect(folder.bytes(taken) == [9])
    }

    @Test(arguments: ["a", "b"]) func `a link that leads nowhere has its name too`(taken: String) throws {
        try FileManager.default.createSymbolicLink(
            atPath: folder.path + "/" + taken, withDestinationPath: folder.path + "/elsewhere")
        #expect(throws: DurableFileError.failed(.rename, path: folder.path + "/" + taken, errno: EEXIST)) {
            try publishTogether([file("a"), file("b")])
        }
        #expect(folder.names == [taken])
    }

    @Test func `a folder that is missing: none appears in the others either`() throws {
        #expect(throws: DurableFileError.failed(.create, path: folder.path + "/gone/b", errno: ENOENT)) {
            try publishTogether([file("a"), file("gone/b")])
        }
        #expect(folder.names == [])
    }
}

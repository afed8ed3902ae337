import DurableFiles
import Foundation
import Glibc
import Testing

@Suite struct TrimmedFolderTests {
    /// Files `a`, `b` and `c` of ten bytes, used in this order.
    private func folder() throws -> DurableFileTests.Folder {
        let folder = try DurableFileTests.Folder()
        for (age, name) in ["a", "b", "c"].enumerated() {
            try DurableFile.replace("\(folder.path)/\(name)", with: [UInt8](repeating: 1, count: 10))
            var times = [timespec(tv_sec: 1000 + age, tv_nsec: 0), timespec(tv_sec: 1000 + age, tv_nsec: 0)]
            #expect(utimensat(AT_FDCWD, "\(folder.path)/\(name)", &times, 0) == 0)
        }
        return folder
    }

    private func trimmed(
        bytes: Int = .max, files: Int = .max, keeping: String = "", counting: (String) -> Bool = { $0.count == 1 }
    ) throws -> [String] {
        let folder = try folder()
        trimFolder(folder.path, to: bytes, files: files, keeping: keeping, isCounted: counting)
        return folder.names
    }

    @Test func `within both bounds nothing goes`() throws {
        #expect(try trimmed(bytes: 30, files: 3) == ["a", "b", "c"])
    }

    @Test func `past a bound those used longest ago go`() throws {
        #expect(try trimmed(bytes: 29) == ["b", "c"])
        #expect(try trimmed(bytes: 19) == ["c"])
        #expect(try trimmed(files: 2) == ["b", "c"])
        #expect(try trimmed(files: 0) == [])
    }

    @Test func `the one in use stays, though it is the oldest and alone too large`() throws {
        #expect(try trimmed(bytes: 5, keeping: "a") == ["a"])
    }

    @Test func `a file counts as used when it is marked`() throws {
        let folder = try folder()
        let reader = try ReadableFile(folder.path + "/a")
        markUsed(folder.path + "/a")
        // Whoever reads it goes by the time of its change.
        #expect(try reader.isUnchanged())
        trimFolder(folder.path, to: .max, files: 2, keeping: "", isCounted: { _ in true })
        #expect(folder.names == ["a", "c"])
    }

    @Test func `what is not counted is not touched, nor are links and folders`() throws {
        let folder = try folder()
        #expect(symlink("a", folder.path + "/l") == 0)
        #expect(mkdir(folder.path + "/d", 0o700) == 0)
        trimFolder(folder.path, to: 0, files: 0, keeping: "", isCounted: { $0 != "b" })
        #expect(folder.names == ["b", "d", "l"])
    }

    @Test func `a folder that is not there is trimmed to nothing`() {
        trimFolder("/no/such/folder", to: 0, files: 0, keeping: "", isCounted: { _ in true })
    }
}

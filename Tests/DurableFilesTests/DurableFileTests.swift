import DurableFiles
import Foundation
import Testing

@Suite struct DurableFileTests {
    /// A folder of the test's own, removed with it.
    final class Folder {
        let path: String
        init() throws {
            let url = FileManager.default.temporaryDirectory.appendingPathComponent("durable-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
            path = url.path
        }
        deinit { try? FileManager.default.removeItem(atPath: path) }
        func bytes(_ name: String) -> [UInt8]? {
            FileManager.default.contents(atPath: path + "/" + name).map(Array.init)
        }
        var names: [String] { (try? FileManager.default.contentsOfDirectory(atPath: path).sorted()) ?? [] }
    }

    @Test func `a committed file is whole and alone`() throws {
        let folder = try Folder()
        try DurableFile.replace(folder.path + "/state", with: [1, 2, 3])
        #expect(folder.bytes("state") == [1, 2, 3])
        #expect(folder.names == ["state"])
    }

    @Test func `an abandoned file leaves the old one and nothing else`() throws {
        let folder = try Folder()
        try DurableFile.replace(folder.path + "/state", with: [1])
        do {
            var file = try DurableFile(at: folder.path + "/state")
            try file.write([9, 9, 9])
        }
        #expect(folder.bytes("state") == [1])
        #expect(folder.names == ["state"])
    }

    @Test func `a missing folder is told with its errno`() throws {
        #expect(throws: DurableFileError.failed(.create, path: "/no/such/folder/x", errno: ENOENT)) {
            try DurableFile.replace("/no/such/folder/x", with: [])
        }
    }

    @Test func `a folder where the file should be is an error and stays`() throws {
        let folder = try Folder()
        try makeFolder(folder.path + "/a/b/c")
        #expect(throws: DurableFileError.failed(.rename, path: folder.path + "/a", errno: EISDIR)) {
            try DurableFile.replace(folder.path + "/a", with: [1])
        }
        #expect(folder.names == ["a"])
    }

    @Test func `a pipe is not replaced by a file`() throws {
        let folder = try Folder()
        let path = folder.path + "/pipe"
        try #require(mkfifo(path, 0o600) == 0)
        #expect(throws: DurableFileError.failed(.create, path: path, errno: EOPNOTSUPP)) {
            try DurableFile.replace(path, with: [1])
        }
        var status = stat()
        #expect(lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO)
    }

    @Test func `a file in a folder's place stops the making of folders`() throws {
        let folder = try Folder()
        try DurableFile.replace(folder.path + "/file", with: [])
        #expect(throws: DurableFileError.self) { try makeFolder(folder.path + "/file/below") }
        #expect(throws: DurableFileError.failed(.makeFolder, path: folder.path + "/file", errno: ENOTDIR)) {
            try makeFolder(folder.path + "/file")
        }
    }

    @Test func `what a crash left half-written is removed, what is being written is not`() throws {
        let folder = try Folder()
        try DurableFile.replace(folder.path + "/.hidden", with: [1])
        close(creat(folder.path + "/.state.abc.part", 0o600))
        var writing = try DurableFile(at: folder.path + "/state")
        try writing.write([7])
        removeAbandonedFiles(in: folder.path)
        #expect(folder.names.count == 2)
        try writing.commit()
        #expect(folder.names == [".hidden", "state"])
        #expect(folder.bytes("state") == [7])
    }

    @Test func `a file is read up to one byte past the limit`() throws {
        let folder = try Folder()
        let path = folder.path + "/state"
        try DurableFile.replace(path, with: [1, 2, 3])
        #expect(try ReadableFile.contents(of: path, limit: 3) == [1, 2, 3])
        #expect(try ReadableFile.contents(of: path, limit: 1) == [1, 2])
        #expect(throws: DurableFileError.failed(.open, path: path + "x", errno: ENOENT)) {
            try ReadableFile.contents(of: path + "x", limit: 1)
        }
    }

    @Test func `a file is read at any place, and short at its end`() throws {
        let folder = try Folder()
        let path = folder.path + "/state"
        try DurableFile.replace(path, with: [1, 2, 3, 4])
        let file = try ReadableFile(path)
        #expect(file.size == 4)
        var bytes = [UInt8](repeating: 0, count: 3)
        #expect(try bytes.withUnsafeMutableBytes { try file.read(into: $0, at: 2) } == 2)
        #expect(bytes == [3, 4, 0])
        #expect(try file.read(upTo: 2) == [1, 2])
    }

    @Test func `a file that is replaced or removed is unchanged, one that is written to is not`() throws {
        let folder = try Folder()
        let path = folder.path + "/state"
        try DurableFile.replace(path, with: [1, 2, 3])
        let file = try ReadableFile(path)
        try DurableFile.replace(path, with: [4])
        #expect(try file.isUnchanged())
        #expect(unlink(path) == 0)
        #expect(try file.isUnchanged())
        try DurableFile.replace(path, with: [1, 2, 3])
        let other = try ReadableFile(path)
        #expect(truncate(path, 2) == 0)
        #expect(try !other.isUnchanged())
    }

    @Test func `what happens to a file shows in its time of change, whatever time is put back`() throws {
        let folder = try Folder()
        let path = folder.path + "/state"
        try DurableFile.replace(path, with: [1, 2, 3])
        let file = try ReadableFile(path)
        let before = try file.statusChange()
        #expect(try file.read(upTo: 3) == [1, 2, 3])
        #expect(try file.statusChange() == before)
        #expect(link(path, folder.path + "/other") == 0)
        #expect(try file.statusChange() != before)
    }

    @Test func `bytes at a place end with the file`() throws {
        let folder = try Folder()
        try DurableFile.replace(folder.path + "/state", with: [1, 2, 3, 4])
        let file = try ReadableFile(folder.path + "/state")
        #expect(try file.bytes(at: 1, upTo: 2) == [2, 3])
        #expect(try file.bytes(at: 3, upTo: 2) == [4])
        #expect(try file.bytes(at: 4, upTo: 2) == [])
    }

    @Test func `a folder or a pipe is not read, nor waited for`() throws {
        let folder = try Folder()
        let pipe = folder.path + "/pipe"
        #expect(mkfifo(pipe, 0o600) == 0)
        for path in [folder.path, pipe] {
            #expect(throws: DurableFileError.failed(.open, path: path, errno: EINVAL)) {
                try ReadableFile.contents(of: path, limit: 1)
            }
        }
    }

    @Test func `a lock is held by one only and names its holder`() throws {
        let folder = try Folder()
        let path = folder.path + "/lock"
        guard case .held(let first) = try FileLock.attempt(path) else {
            Issue.record("the first attempt found the lock taken")
            return
        }
        switch try FileLock.attempt(path) {
        case .held: Issue.record("two hold the lock")
        case .taken(let holder): #expect(holder == getpid())
        }
        withExtendedLifetime(first) {}
    }

    @Test func `a dropped lock is free again`() throws {
        let folder = try Folder()
        let path = folder.path + "/lock"
        do {
            let first = try FileLock.attempt(path)
            _ = consume first
        }
        guard case .held = try FileLock.attempt(path) else {
            Issue.record("the lock outlived its value")
            return
        }
    }

    /// A child between fork and exec holds a copy of every descriptor.
    @Test func `a lock that was let go is free though somebody holds a copy of its descriptor`() throws {
        let folder = try Folder()
        let path = folder.path + "/lock"
        var copy: Int32 = -1
        do {
            let first = try FileLock.attempt(path)
            for number in try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap(Int32.init)
            where (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(number)")) == path {
                copy = dup(number)
            }
            _ = consume first
        }
        try #require(copy >= 0)
        defer { close(copy) }
        guard case .held = try FileLock.attempt(path) else {
            Issue.record("still held")
            return
        }
    }
}

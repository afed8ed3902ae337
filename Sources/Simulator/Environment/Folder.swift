import DurableFiles
import Glibc

/// Files and folders of a run.
enum Folder {
    /// The longest path that leaves room for a socket's name in `sockaddr_un` (108 bytes).
    private static let longestForSockets = 80

    /// A fresh folder of this user's own, with a short path.
    static func temporary() throws(SimulationError) -> String {
        let wanted = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        let base = wanted.hasPrefix("/") && wanted.utf8.count <= longestForSockets ? wanted : "/tmp"
        var template = Array((base + "/espurr-sim-XXXXXX").utf8CString)
        guard mkdtemp(&template) != nil else { throw .noTemporaryFolder(in: base, errno: errno) }
        return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    static func make(_ path: String, permissions: UInt32 = 0o700) throws(SimulationError) {
        do throws(DurableFileError) { try makeFolder(path, permissions: permissions) } catch { throw .init(error) }
    }

    /// A file that appears whole or not at all.
    static func write(_ bytes: [UInt8], to path: String) throws(SimulationError) {
        do throws(DurableFileError) { try DurableFile.replace(path, with: bytes) } catch { throw .init(error) }
    }

    /// Nil where there is no such file.
    ///
    /// - Parameter limit: bytes; a longer file is an error.
    static func read(_ path: String, limit: Int) throws(SimulationError) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw .file(path: path, errno: errno)
        }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .file(path: path, errno: errno) }
            if count == 0 { return bytes }
            bytes += buffer[..<count]
            guard bytes.count <= limit else { throw .stateUnreadable(path: path) }
        }
    }

    /// Removes a folder and everything in it; symbolic links are removed, not followed.
    static func remove(_ path: String) {
        if let folder = opendir(path) {
            while let entry = readdir(folder) {
                let name = entry.name
                guard name != ".", name != ".." else { continue }
                let inner = path + "/" + name
                if entry.pointee.d_type == UInt8(DT_DIR) { remove(inner) } else { unlink(inner) }
            }
            closedir(folder)
        }
        rmdir(path)
    }
}

extension UnsafeMutablePointer<dirent> {
    var name: String {
        withUnsafePointer(to: &pointee.d_name) { pointer in
            pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        }
    }
}

/// A pipe whose ends no child inherits by accident.
enum Pipe {
    static func make(nonBlocking: Bool) -> (read: Int32, write: Int32)? {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return nil }
        for end in ends { configure(end, nonBlocking: nonBlocking) }
        return (ends[0], ends[1])
    }

    static func configure(_ descriptor: Int32, nonBlocking: Bool) {
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        if nonBlocking { _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK) }
    }
}

extension SimulationError {
    init(_ error: DurableFileError) { self = .file(path: error.path, errno: error.errno) }
}

internal import Glibc

/// A file that appears whole or not at all: written beside its destination, synced, renamed.
enum WholeFile {
    struct Failure: Error {
        var errno: Int32
    }

    static func write(_ bytes: [UInt8], to path: String) throws(Failure) {
        let beside = "\(path).\(getpid()).partial"
        do throws(Failure) {
            try create(beside, bytes)
            guard rename(beside, path) == 0 else { throw Failure(errno: errno) }
        } catch {
            unlink(beside)
            throw error
        }
        try syncFolder(of: path)
    }

    private static func create(_ path: String, _ bytes: [UInt8]) throws(Failure) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw Failure(errno: errno) }
        defer { close(descriptor) }
        var written = 0
        while written < bytes.count {
            let count = bytes[written...].withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw Failure(errno: errno) }
            written += count
        }
        guard fsync(descriptor) == 0 else { throw Failure(errno: errno) }
    }

    /// Without it a rename may be lost with the power.
    private static func syncFolder(of path: String) throws(Failure) {
        let folder = path.prefix(upTo: path.lastIndex(of: "/") ?? path.startIndex)
        let descriptor = open(String(folder), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Failure(errno: errno) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw Failure(errno: errno) }
    }

    /// Nil for what is no regular file, cannot be read, or is longer.
    static func read(_ path: String, atMost limit: Int) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: limit + 1)
        var length = 0
        while length < bytes.count {
            let count = bytes[length...].withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { return nil }
            if count == 0 { return Array(bytes[..<length]) }
            length += count
        }
        return nil
    }
}

import Glibc

/// Why a file could not be written or locked.
public enum DurableFileError: Error, Hashable, Sendable {
    case failed(Operation, path: String, errno: Int32)

    public enum Operation: Hashable, Sendable {
        case makeFolder, create, write, synchronise, rename, open, lock
    }

    public var path: String {
        switch self {
        case .failed(_, let path, _): path
        }
    }

    /// `ENOSPC` and the like.
    public var errno: Int32 {
        switch self {
        case .failed(_, _, let errno): errno
        }
    }
}

/// A file that appears whole or not at all: written beside its destination, synced, renamed over it.
///
/// Dropped without ``commit()``, it leaves nothing behind and the destination untouched.
public struct DurableFile: ~Copyable {
    public let path: String
    private let temporaryPath: String
    private let descriptor: Int32
    private var isCommitted = false

    /// Creates the temporary file beside `path`; its folder has to exist.
    ///
    /// - Parameter permissions: of the finished file, before the process's umask.
    public init(at path: String, permissions: UInt32 = 0o644) throws(DurableFileError) {
        let (folder, name) = split(path)
        var generator = SystemRandomNumberGenerator()
        let temporaryPath = folder + "/." + name + "." + String(generator.next(), radix: 16) + ".part"
        let descriptor = open(temporaryPath, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, permissions)
        guard descriptor >= 0 else { throw .failed(.create, path: path, errno: errno) }
        self.path = path
        self.temporaryPath = temporaryPath
        self.descriptor = descriptor
    }

    deinit {
        close(descriptor)
        if !isCommitted { unlink(temporaryPath) }
    }

    public mutating func write(_ bytes: UnsafeRawBufferPointer) throws(DurableFileError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = Glibc.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw .failed(.write, path: path, errno: errno) }
            rest = rest.dropFirst(count)
        }
    }

    public mutating func write(_ bytes: [UInt8]) throws(DurableFileError) {
        let result = bytes.withUnsafeBytes { buffer -> Result<Void, DurableFileError> in
            do throws(DurableFileError) {
                return .success(try write(buffer))
            } catch {
                return .failure(error)
            }
        }
        try result.get()
    }

    /// Syncs the bytes, puts them in the destination's place and syncs the folder.
    public consuming func commit() throws(DurableFileError) {
        guard fsync(descriptor) == 0 else { throw .failed(.synchronise, path: path, errno: errno) }
        guard rename(temporaryPath, path) == 0 else { throw .failed(.rename, path: path, errno: errno) }
        isCommitted = true
        try synchroniseFolder(split(path).folder)
    }

    /// Writes a whole file.
    public static func replace(
        _ path: String, with bytes: [UInt8], permissions: UInt32 = 0o644
    ) throws(DurableFileError) {
        var file = try DurableFile(at: path, permissions: permissions)
        try file.write(bytes)
        try file.commit()
    }
}

/// Makes a folder and those above it that are missing.
public func makeFolder(_ path: String, permissions: UInt32 = 0o755) throws(DurableFileError) {
    if mkdir(path, permissions) == 0 { return }
    if errno == ENOENT, split(path).folder != path {
        try makeFolder(split(path).folder, permissions: permissions)
        if mkdir(path, permissions) == 0 { return }
    }
    let reason = errno
    var status = stat()
    guard reason == EEXIST, stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
        throw .failed(.makeFolder, path: path, errno: reason == EEXIST ? ENOTDIR : reason)
    }
}

private func synchroniseFolder(_ path: String) throws(DurableFileError) {
    let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .failed(.synchronise, path: path, errno: errno) }
    defer { close(descriptor) }
    // Some file systems cannot sync a folder and say EINVAL; the rename stands all the same.
    guard fsync(descriptor) == 0 || errno == EINVAL else { throw .failed(.synchronise, path: path, errno: errno) }
}

private func split(_ path: String) -> (folder: String, name: String) {
    guard let slash = path.lastIndex(of: "/") else { return (".", path) }
    let folder = String(path[..<slash])
    return (folder.isEmpty ? "/" : folder, String(path[path.index(after: slash)...]))
}

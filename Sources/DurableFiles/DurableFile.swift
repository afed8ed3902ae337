import Glibc

/// Why a file could not be read, written or locked.
public enum DurableFileError: Error, Hashable, Sendable {
    case failed(Operation, path: String, errno: Int32)

    public enum Operation: Hashable, Sendable {
        case makeFolder, create, open, read, write, synchronise, rename, lock
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
public struct DurableFile: ~Copyable, Sendable {
    public let path: String
    private let temporaryPath: String
    private let descriptor: Int32
    private var isCommitted = false

    /// Creates the temporary file beside `path`; its folder has to exist.
    ///
    /// - Parameter permissions: of the finished file, before the process's umask.
    /// - Throws: `EOPNOTSUPP` where a device, a pipe or a socket has the name: a rename would put a file in its place.
    public init(at path: String, permissions: UInt32 = 0o644) throws(DurableFileError) {
        var status = stat()
        if lstat(path, &status) == 0, ![S_IFREG, S_IFLNK, S_IFDIR].contains(status.st_mode & S_IFMT) {
            throw .failed(.create, path: path, errno: EOPNOTSUPP)
        }
        (temporaryPath, descriptor) = try Self.createTemporary(beside: path, permissions)
        self.path = path
    }

    /// The temporary file is locked as long as it is being written, so that ``removeAbandonedFiles(in:)`` can tell it
    /// from what a crash left behind. One that was taken for such in the moment before is given up for another.
    private static func createTemporary(
        beside path: String, _ permissions: UInt32
    ) throws(DurableFileError) -> (path: String, descriptor: Int32) {
        let (folder, name) = split(path)
        while true {
            let random = String(UInt64.random(in: 0 ... .max), radix: 16)
            let temporaryPath = "\(folder)/.\(name).\(random)\(temporarySuffix)"
            let descriptor = open(temporaryPath, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, permissions)
            guard descriptor >= 0 else { throw .failed(.create, path: path, errno: errno) }
            // A file system without locks says so with another error, and then nothing is removed there either.
            let isTaken = flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK
            var status = stat()
            if !isTaken, fstat(descriptor, &status) == 0, status.st_nlink == 1 { return (temporaryPath, descriptor) }
            close(descriptor)
        }
    }

    fileprivate static let temporarySuffix = ".part"

    deinit {
        if !isCommitted { unlink(temporaryPath) }
        close(descriptor)
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

    /// What a file survives once ``commit(_:)`` has returned. It is whole or the old one in every case but that of a
    /// power cut with ``process``.
    public enum Survival: Hashable, Sendable {
        /// A power cut: bytes and folder are synced.
        case powerCut
        /// A power cut once the caller has synced the folder (``synchroniseFolder(_:)``), as is right for several files
        /// of one folder; until then the old file may come back.
        case powerCutOnceFolderIsSynchronised
        /// The end of the process. A power cut may leave it empty: for what can be done without.
        case process
    }

    /// Syncs the bytes and puts them in the destination's place.
    public consuming func commit(_ survival: Survival = .powerCut) throws(DurableFileError) {
        if survival != .process { try synchronise() }
        guard rename(temporaryPath, path) == 0 else { throw .failed(.rename, path: path, errno: errno) }
        isCommitted = true
        if survival == .powerCut { try synchroniseFolder(split(path).folder) }
    }

    func synchronise() throws(DurableFileError) {
        guard fsync(descriptor) == 0 else { throw .failed(.synchronise, path: path, errno: errno) }
    }

    /// Gives the file its name if nothing has that name; `EEXIST` where something has. It is to be synced before.
    ///
    /// - Returns: what tells the file from another one of that name.
    consuming func appear() throws(DurableFileError) -> FileIdentity {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .failed(.synchronise, path: path, errno: errno) }
        // The temporary name goes with this value.
        if link(temporaryPath, path) != 0 {
            guard [EPERM, ENOSYS, EOPNOTSUPP].contains(errno) else {
                throw .failed(.rename, path: path, errno: errno)
            }
            try renameIfFree()
            isCommitted = true
        }
        return FileIdentity(device: status.st_dev, inode: status.st_ino)
    }

    /// For file systems without hard links (exFAT): asks first, and trusts the answer for the moment in between.
    private func renameIfFree() throws(DurableFileError) {
        var status = stat()
        guard lstat(path, &status) != 0 else { throw .failed(.rename, path: path, errno: EEXIST) }
        guard rename(temporaryPath, path) == 0 else { throw .failed(.rename, path: path, errno: errno) }
    }

    /// Writes a whole file.
    public static func replace(
        _ path: String, with bytes: [UInt8], permissions: UInt32 = 0o644, surviving survival: Survival = .powerCut
    ) throws(DurableFileError) {
        var file = try DurableFile(at: path, permissions: permissions)
        try file.write(bytes)
        try file.commit(survival)
    }
}

/// Makes a folder and those above it that are missing. What is made survives a power cut: with a folder everything in it
/// would be gone, however well it was synced.
public func makeFolder(_ path: String, permissions: UInt32 = 0o755) throws(DurableFileError) {
    let above = split(path).folder
    if mkdir(path, permissions) == 0 { return try synchroniseNewFolder(in: above) }
    if errno == ENOENT, above != path {
        try makeFolder(above, permissions: permissions)
        if mkdir(path, permissions) == 0 { return try synchroniseNewFolder(in: above) }
    }
    let reason = errno
    var status = stat()
    guard reason == EEXIST, stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
        throw .failed(.makeFolder, path: path, errno: reason == EEXIST ? ENOTDIR : reason)
    }
}

/// A folder that may be written to and not listed cannot be opened for it: what is made there is there all the same.
private func synchroniseNewFolder(in folder: String) throws(DurableFileError) {
    do { try synchroniseFolder(folder) } catch {
        guard error.errno == EACCES else { throw error }
    }
}

/// Removes the temporary files in a folder that no process is writing any more: a crash left them.
public func removeAbandonedFiles(in folder: String) {
    guard let listing = opendir(folder) else { return }
    defer { closedir(listing) }
    while let entry = readdir(listing) {
        let name = withUnsafeBytes(of: &entry.pointee.d_name) {
            String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
        }
        guard name.hasPrefix("."), name.hasSuffix(DurableFile.temporarySuffix) else { continue }
        let descriptor = open("\(folder)/\(name)", O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { continue }
        if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { unlink("\(folder)/\(name)") }
        close(descriptor)
    }
}

/// The folder that a path is in; `.` for a path without a slash.
public func parentFolder(of path: String) -> String { split(path).folder }

/// Makes the names of the files in a folder survive a power cut.
public func synchroniseFolder(_ path: String) throws(DurableFileError) {
    let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .failed(.synchronise, path: path, errno: errno) }
    defer { close(descriptor) }
    // Some file systems cannot sync a folder and say EINVAL; the rename stands all the same.
    guard fsync(descriptor) == 0 || errno == EINVAL else { throw .failed(.synchronise, path: path, errno: errno) }
}

func split(_ path: String) -> (folder: String, name: String) {
    guard let slash = path.lastIndex(of: "/") else { return (".", path) }
    let folder = String(path[..<slash])
    return (folder.isEmpty ? "/" : folder, String(path[path.index(after: slash)...]))
}

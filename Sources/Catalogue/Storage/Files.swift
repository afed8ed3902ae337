import Glibc

extension FileFault {
    /// The fault of the call that has just failed on this thread.
    static func last(_ operation: String, _ path: String) -> FileFault {
        FileFault(operation: operation, path: path, code: errno)
    }
}

/// A regular file open for reading. Owns its descriptor.
struct ReadableFile: ~Copyable {
    private let descriptor: Int32
    private let path: String

    /// Anything but a regular file is refused: opening a pipe could wait for ever.
    init(_ path: String) throws(FileFault) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else { throw .last("open", path) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw FileFault(operation: "open", path: path, code: EINVAL)
        }
        self.descriptor = descriptor
        self.path = path
    }

    deinit { close(descriptor) }

    /// Empty at the end of the file.
    func read(upTo count: Int) throws(FileFault) -> [UInt8] {
        var result = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            repeat { result = Glibc.read(descriptor, buffer.baseAddress, count) } while result < 0 && errno == EINTR
            initialized = max(0, result)
        }
        guard result >= 0 else { throw .last("read", path) }
        return bytes
    }

    /// The whole file; one longer than the limit gives the bytes up to one past it.
    static func contents(of path: String, limit: Int) throws(FileFault) -> [UInt8] {
        let file = try ReadableFile(path)
        var bytes: [UInt8] = []
        while bytes.count <= limit {
            let piece = try file.read(upTo: min(64 * 1024, limit + 1 - bytes.count))
            guard !piece.isEmpty else { break }
            bytes += piece
        }
        return bytes
    }
}

/// A file that appears under its name whole or not at all: written beside it, synced, renamed. Given up before
/// `commit`, it leaves nothing behind.
struct AtomicFile: ~Copyable {
    private let descriptor: Int32
    private let path: String
    private let temporaryPath: String
    private var isCommitted = false

    static let temporarySuffix = ".partial"

    init(replacing path: String) throws(FileFault) {
        let temporaryPath = "\(path).\(String(UInt64.random(in: 0 ... .max), radix: 36))\(Self.temporarySuffix)"
        let descriptor = open(temporaryPath, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw .last("create", path) }
        // Held as long as the file is being written, so that `removeLeftovers` can tell it from what a crash left.
        flock(descriptor, LOCK_EX | LOCK_NB)
        self.descriptor = descriptor
        self.path = path
        self.temporaryPath = temporaryPath
    }

    deinit {
        if !isCommitted { unlink(temporaryPath) }
        close(descriptor)
    }

    func write(_ bytes: UnsafeRawBufferPointer) throws(FileFault) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = Glibc.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw .last("write", path) }
            rest = rest.dropFirst(count)
        }
    }

    consuming func commit() throws(FileFault) {
        guard fchmod(descriptor, 0o644) == 0, fsync(descriptor) == 0 else { throw .last("sync", path) }
        guard rename(temporaryPath, path) == 0 else { throw .last("rename", path) }
        isCommitted = true
        try Folder.sync(Folder.parent(of: path))
    }

    static func write(_ bytes: [UInt8], to path: String) throws(FileFault) {
        let file = try AtomicFile(replacing: path)
        try bytes.withUnsafeBytes { bytes in Result { () throws(FileFault) in try file.write(bytes) } }.get()
        try file.commit()
    }
}

enum Folder {
    static func parent(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// Makes the folder and those above it, for this user alone.
    static func create(_ path: String) throws(FileFault) {
        guard mkdir(path, 0o700) != 0 else { return }
        if errno == ENOENT, parent(of: path) != path {
            try create(parent(of: path))
            guard mkdir(path, 0o700) != 0 else { return }
        }
        var status = stat()
        let code = errno
        guard code == EEXIST, stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
            throw FileFault(operation: "mkdir", path: path, code: code == EEXIST ? ENOTDIR : code)
        }
    }

    /// Makes a rename in the folder survive a power cut.
    static func sync(_ path: String) throws(FileFault) {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .last("open", path) }
        defer { close(descriptor) }
        // Some file systems cannot sync a folder and say so with EINVAL: there is nothing more to be had from them.
        guard fsync(descriptor) == 0 || errno == EINVAL else { throw .last("sync", path) }
    }

    /// Removes temporary files that no process is writing any more.
    static func removeLeftovers(in path: String) {
        guard let listing = opendir(path) else { return }
        defer { closedir(listing) }
        while let entry = readdir(listing) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            guard name.hasSuffix(AtomicFile.temporarySuffix) else { continue }
            let descriptor = open("\(path)/\(name)", O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
            guard descriptor >= 0 else { continue }
            if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { unlink("\(path)/\(name)") }
            close(descriptor)
        }
    }
}

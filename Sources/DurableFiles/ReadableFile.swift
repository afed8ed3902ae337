import Glibc

/// A regular file open for reading. Owns its descriptor.
public struct ReadableFile: ~Copyable, Sendable {
    private let descriptor: Int32
    public let path: String
    private let opened: Stamp
    private let openedChange: StatusChange

    /// Bytes, when it was opened.
    public var size: Int { opened.size }

    /// Anything but a regular file is refused with `EINVAL`: opening a pipe could wait for ever.
    public init(_ path: String) throws(DurableFileError) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else { throw .failed(.open, path: path, errno: errno) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw .failed(.open, path: path, errno: EINVAL)
        }
        self.descriptor = descriptor
        self.path = path
        opened = Stamp(status)
        openedChange = StatusChange(status)
    }

    deinit { close(descriptor) }

    /// Empty at the end of the file.
    public func read(upTo count: Int) throws(DurableFileError) -> [UInt8] {
        var result = 0
        var reason: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            repeat { result = Glibc.read(descriptor, buffer.baseAddress, count) } while result < 0 && errno == EINTR
            if result < 0 { reason = errno }
            initialized = max(0, result)
        }
        guard result >= 0 else { throw .failed(.read, path: path, errno: reason) }
        return bytes
    }

    /// Fills a buffer from a place in the file. Where ``read(upTo:)`` goes on stays as it is.
    ///
    /// - Returns: bytes; fewer than the buffer holds where the file ends.
    public func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(DurableFileError) -> Int {
        var filled = 0
        while filled < buffer.count {
            let count = pread(
                descriptor, buffer.baseAddress?.advanced(by: filled), buffer.count - filled, off_t(offset + filled))
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .failed(.read, path: path, errno: errno) }
            if count == 0 { break }
            filled += count
        }
        return filled
    }

    /// Fewer than asked for at the end of the file, and none behind it. Where ``read(upTo:)`` goes on stays as it is.
    public func bytes(at offset: Int, upTo count: Int) throws(DurableFileError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let filled = try bytes.withUnsafeMutableBufferPointer { buffer throws(DurableFileError) in
            try read(into: UnsafeMutableRawBufferPointer(buffer), at: offset)
        }
        bytes.removeLast(count - filled)
        return bytes
    }

    /// Whether nobody has written to it since it was opened, by its length and the time of its last change. What has its
    /// name by now, and whether anything has, makes no difference.
    public func isUnchanged() throws(DurableFileError) -> Bool {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .failed(.read, path: path, errno: errno) }
        return Stamp(status) == opened
    }

    /// When anything about it changed last (`st_ctim`). A write moves it whatever time of change is put back afterwards,
    /// and so does what is no write: another name, a name less, other permissions.
    public func statusChange() throws(DurableFileError) -> StatusChange {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .failed(.read, path: path, errno: errno) }
        return StatusChange(status)
    }

    /// Whether nothing at all about it changed since it was opened (``statusChange()``).
    public func isUntouched() throws(DurableFileError) -> Bool { try statusChange() == openedChange }

    /// Two of one file are equal where nothing about it changed in between.
    public struct StatusChange: Hashable, Sendable {
        private let seconds: Int
        private let nanoseconds: Int

        fileprivate init(_ status: stat) {
            (seconds, nanoseconds) = (status.st_ctim.tv_sec, status.st_ctim.tv_nsec)
        }
    }

    /// The whole file; one longer than the limit gives the bytes up to one past it.
    public static func contents(of path: String, limit: Int) throws(DurableFileError) -> [UInt8] {
        let file = try ReadableFile(path)
        var bytes: [UInt8] = []
        while bytes.count <= limit {
            let piece = try file.read(upTo: min(pieceBytes, limit + 1 - bytes.count))
            guard !piece.isEmpty else { break }
            bytes += piece
        }
        return bytes
    }

    /// Bytes to read in one go.
    public static let pieceBytes = 64 * 1024

    private struct Stamp: Equatable {
        let size: Int
        let seconds: Int
        let nanoseconds: Int

        init(_ status: stat) {
            size = Int(status.st_size)
            seconds = status.st_mtim.tv_sec
            nanoseconds = status.st_mtim.tv_nsec
        }
    }
}

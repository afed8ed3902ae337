import Glibc

/// A regular file open for reading. Owns its descriptor.
public struct ReadableFile: ~Copyable {
    private let descriptor: Int32
    private let path: String

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

    /// Bytes read in one go.
    private static let pieceBytes = 64 * 1024
}

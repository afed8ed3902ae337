import Glibc

/// Why a file's bytes could not be had.
public enum ImageFileError: Error, Hashable, Sendable {
    case missing
    case folder
    /// A device, a pipe, a socket.
    case notRegularFile
    /// Bytes.
    case tooLarge(size: Int64, limit: Int)
    case unreadable(errno: Int32)
    /// Written to or cut short between opening and the last byte.
    case changedWhileRead
}

/// An open file that is about to be read once, whole.
public struct ImageFile: ~Copyable {
    /// Bytes: the largest flash of any board. Checked before anything is read.
    public static let sizeLimit = 16 << 20

    private let descriptor: OwnedDescriptor
    private let opened: Stamp

    /// The bytes of a file.
    public static func read(_ path: String) throws(ImageFileError) -> [UInt8] {
        try ImageFile(path).read()
    }

    /// Opens and looks, and reads nothing yet. Does not wait on a pipe.
    public init(_ path: String) throws(ImageFileError) {
        let descriptor = try OwnedDescriptor(opening: path)
        let opened = try Stamp(of: descriptor.number)
        try opened.check()
        self.descriptor = descriptor
        self.opened = opened
    }

    public consuming func read() throws(ImageFileError) -> [UInt8] {
        // One more than there are, to see a file that grew.
        let bytes = try bytes(atMost: Int(opened.size) + 1)
        guard bytes.count == Int(opened.size), try Stamp(of: descriptor.number) == opened else {
            throw .changedWhileRead
        }
        return bytes
    }

    private borrowing func bytes(atMost count: Int) throws(ImageFileError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var filled = 0
        while filled < count {
            let got = bytes.withUnsafeMutableBytes { buffer in
                Glibc.read(descriptor.number, buffer.baseAddress?.advanced(by: filled), count - filled)
            }
            if got == 0 { break }
            if got > 0 { filled += got } else if errno != EINTR { throw .unreadable(errno: errno) }
        }
        bytes.removeLast(count - filled)
        return bytes
    }

    /// Closed with its owner's life, also where that ends in its initialiser.
    private struct OwnedDescriptor: ~Copyable {
        let number: Int32

        init(opening path: String) throws(ImageFileError) {
            let number = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)
            guard number >= 0 else { throw Self.error(errno) }
            self.number = number
        }

        deinit { close(number) }

        private static func error(_ number: Int32) -> ImageFileError {
            switch number {
            case ENOENT, ENOTDIR: .missing
            case EISDIR: .folder
            case ENXIO, ENODEV: .notRegularFile
            default: .unreadable(errno: number)
            }
        }
    }

    /// What shows that a file is another than it was.
    private struct Stamp: Equatable {
        let mode: mode_t
        let size: Int64
        let seconds: Int
        let nanoseconds: Int

        init(of descriptor: Int32) throws(ImageFileError) {
            var status = stat()
            guard fstat(descriptor, &status) == 0 else { throw .unreadable(errno: errno) }
            mode = status.st_mode
            size = Int64(status.st_size)
            seconds = status.st_mtim.tv_sec
            nanoseconds = status.st_mtim.tv_nsec
        }

        func check() throws(ImageFileError) {
            switch mode & S_IFMT {
            case S_IFREG: break
            case S_IFDIR: throw .folder
            default: throw .notRegularFile
            }
            guard size <= ImageFile.sizeLimit else { throw .tooLarge(size: size, limit: ImageFile.sizeLimit) }
        }
    }
}

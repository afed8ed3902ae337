public import DurableFiles
import Glibc

/// Why a file's bytes could not be had.
public enum ImageFileError: Error, Hashable, Sendable {
    case missing
    case folder
    /// A device, a pipe, a socket.
    case notRegularFile
    /// Bytes.
    case tooLarge(size: Int, limit: Int)
    case unreadable(errno: Int32)
    /// Written to or cut short between opening and the last byte that was wanted.
    case changedWhileRead
}

/// A file that may be an image, open for as long as this value lives. It is read piece by piece, to be judged and to be
/// sent, and never held whole.
///
/// The bytes of one file are meant, whatever has its name by now: one that is replaced or removed is read on. One that
/// is written to is not believed from then on (``ImageFileError/changedWhileRead``). A time of change that somebody put
/// back does not help: ``SoundImage`` hashes the file anew wherever anything about it changed.
public final class ImageFile: Sendable {
    /// Bytes: the largest flash of any board. Checked before anything is read.
    public static let sizeLimit = 16 << 20

    private let file: ReadableFile

    /// Bytes, when it was opened.
    public var size: Int { file.size }

    /// Opens and looks, and reads nothing yet. Does not wait on a pipe.
    public convenience init(_ path: String) throws(ImageFileError) {
        let file: ReadableFile
        do { file = try ReadableFile(path) } catch { throw ImageFileError(opening: error) }
        try self.init(file)
    }

    /// A file that somebody else opened and looked at: it is to be the same since then.
    public init(_ file: consuming ReadableFile) throws(ImageFileError) {
        let size = file.size
        guard size <= Self.sizeLimit else { throw .tooLarge(size: size, limit: Self.sizeLimit) }
        self.file = file
    }

    func statusChange() throws(ImageFileError) -> ReadableFile.StatusChange {
        do { return try file.statusChange() } catch { throw .unreadable(errno: error.errno) }
    }
}

extension ImageFile: ImageSource {
    typealias Failure = ImageFileError

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(ImageFileError) {
        do throws(DurableFileError) {
            // Looked at after the bytes were read: a change in between is seen too.
            if try file.read(into: buffer, at: offset) == buffer.count, try file.isUnchanged() { return }
        } catch {
            throw .unreadable(errno: error.errno)
        }
        throw .changedWhileRead
    }
}

extension ImageFileError {
    fileprivate init(opening error: DurableFileError) {
        switch error.errno {
        case ENOENT, ENOTDIR: self = .missing
        case ENXIO, ENODEV: self = .notRegularFile
        case EINVAL:
            var status = stat()
            let isFolder = stat(error.path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
            self = isFolder ? .folder : .notRegularFile
        default: self = .unreadable(errno: error.errno)
        }
    }
}

public import Bluetooth
import CommandLineTools
import Glibc
import Synchronization

/// Where the ears' six digits come from when no person compares them: their serial console, as a file or a descriptor.
///
/// The first passkey line decides. What was there before ``skipOld()`` does not count.
public final class PasskeySource: Sendable {
    /// Bytes of a line; what is longer is no passkey line.
    public static let longestLine = 512
    /// How often a regular file is looked at: inotify does not see what another machine writes into a shared one.
    static let interval = Duration.milliseconds(50)
    private static let readSize = 4096
    /// Bytes of old lines in a pipe; a console that has more than this to say says it without end.
    private static let staleLimit = 1 << 20

    private let descriptor: Int32
    private let closesAtEnd: Bool
    private let isRegularFile: Bool
    /// In a regular file: where to read next. The descriptor's own position may be shared with another process.
    private let position = Mutex<off_t>(0)

    public enum Failure: Error, Equatable, Sendable {
        case cannotOpen(path: String, errno: Int32)
        case noSuchDescriptor(Int32)
        /// Neither a file nor a pipe, socket or terminal.
        case notAConsole(String)
    }

    private enum Piece {
        case bytes([UInt8])
        case nothingYet
        case end
    }

    /// - Parameter text: a descriptor's number, or a path.
    public init(_ text: String) throws(Failure) {
        if let number = Int32(text), number >= 0 {
            guard fcntl(number, F_GETFD) != -1 else { throw .noSuchDescriptor(number) }
            descriptor = number
            closesAtEnd = false
        } else {
            descriptor = try Self.opened(text)
            closesAtEnd = true
        }
        let kind = fileKind(descriptor)
        isRegularFile = kind == S_IFREG
        guard isRegularFile || kind == S_IFIFO || kind == S_IFSOCK || isatty(descriptor) == 1 else {
            if closesAtEnd { close(descriptor) }
            throw .notAConsole(text)
        }
        skipOld()
    }

    deinit {
        if closesAtEnd { close(descriptor) }
    }

    private static func opened(_ path: String) throws(Failure) -> Int32 {
        let flags = O_NONBLOCK | O_CLOEXEC | O_NOCTTY
        let opened = open(path, O_RDONLY | flags)
        guard opened >= 0 else { throw .cannotOpen(path: path, errno: errno) }
        guard fileKind(opened) == S_IFIFO else { return opened }
        // As its own writer a FIFO does not end when the console's logger is started anew (fifo(7)).
        let both = open(path, O_RDWR | flags)
        guard both >= 0 else { return opened }
        close(opened)
        return both
    }

    /// Leaves out what the console said up to now: digits of an earlier pairing prove nothing.
    public func skipOld() {
        if isRegularFile { return position.withLock { $0 = fileSize } }
        var left = Self.staleLimit
        while left > 0, hasInput, case .bytes(let bytes) = readStream() { left -= bytes.count }
    }

    /// The digits that the ears show; nil at the console's end, or when the task is cancelled first.
    public func next(clock: any Clock<Duration>) async -> Passkey? {
        var line: [UInt8] = []
        while !Task.isCancelled {
            switch await read(clock) {
            case .end: return nil
            case .nothingYet: continue
            case .bytes(let bytes):
                for byte in bytes {
                    if byte == 0x0A {
                        let text = line.count <= Self.longestLine ? String(decoding: line, as: UTF8.self) : ""
                        if let passkey = Passkey(consoleLine: text) { return passkey }
                        line = []
                    } else if line.count <= Self.longestLine {
                        line.append(byte)
                    }
                }
            }
        }
        return nil
    }

    private func read(_ clock: any Clock<Duration>) async -> Piece {
        guard isRegularFile else { return await waitUntilReadable(descriptor) ? readStream() : .end }
        let piece = readFile()
        if case .nothingYet = piece { try? await clock.sleep(for: Self.interval) }
        return piece
    }

    private func readFile() -> Piece {
        position.withLock { position in
            // A file that shrank was begun anew.
            if fileSize < position { position = 0 }
            var buffer = [UInt8](repeating: 0, count: Self.readSize)
            let count = pread(descriptor, &buffer, buffer.count, position)
            guard count != 0 else { return .nothingYet }
            guard count > 0 else { return errno == EINTR ? .nothingYet : .end }
            position += count
            return .bytes(Array(buffer.prefix(count)))
        }
    }

    private func readStream() -> Piece {
        var buffer = [UInt8](repeating: 0, count: Self.readSize)
        let count = Glibc.read(descriptor, &buffer, buffer.count)
        if count > 0 { return .bytes(Array(buffer.prefix(count))) }
        return count < 0 && (errno == EINTR || errno == EAGAIN) ? .nothingYet : .end
    }

    private var hasInput: Bool {
        var poller = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&poller, 1, 0) > 0 && poller.revents & Int16(POLLIN) != 0
    }

    private var fileSize: off_t {
        var status = stat()
        return fstat(descriptor, &status) == 0 ? status.st_size : 0
    }
}

/// The `S_IF…` of an open file; 0 where it cannot be told.
private func fileKind(_ descriptor: Int32) -> mode_t {
    var status = stat()
    return fstat(descriptor, &status) == 0 ? status.st_mode & S_IFMT : 0
}

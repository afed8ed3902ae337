import Glibc

/// A lock between processes (`flock`), held until the value is dropped; the kernel frees it when its process dies.
public struct FileLock: ~Copyable, Sendable {
    private let descriptor: Int32

    private init(holding descriptor: Int32) { self.descriptor = descriptor }

    /// A child that is being started holds a copy of every descriptor until it runs its program: closing alone would leave
    /// the lock to it for that moment.
    deinit {
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    public enum Attempt: ~Copyable, Sendable {
        case held(FileLock)
        /// Somebody else holds it. The pid is what the holder wrote: information, not evidence.
        case taken(holder: Int32?)
    }

    /// Tries at once, without waiting. The file stays: removing a lock file would let two processes hold "the" lock.
    public static func attempt(_ path: String) throws(DurableFileError) -> Attempt {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw .failed(.open, path: path, errno: errno) }
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            let reason = errno
            if reason == EINTR { continue }
            defer { close(descriptor) }
            guard reason == EWOULDBLOCK else { throw .failed(.lock, path: path, errno: reason) }
            return .taken(holder: holder(writtenIn: descriptor))
        }
        let text = Array("\(getpid())\n".utf8)
        guard ftruncate(descriptor, 0) == 0, pwrite(descriptor, text, text.count, 0) == text.count else {
            let reason = errno
            close(descriptor)
            throw .failed(.write, path: path, errno: reason)
        }
        return .held(FileLock(holding: descriptor))
    }

    private static func holder(writtenIn descriptor: Int32) -> Int32? {
        var text = [UInt8](repeating: 0, count: 16)
        let count = pread(descriptor, &text, text.count, 0)
        guard count > 0 else { return nil }
        return Int32(String(decoding: text.prefix(count).prefix { $0 != 0x0A }, as: UTF8.self))
    }
}

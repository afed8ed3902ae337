public import Bluetooth
internal import Glibc

/// Why a pair of ears cannot be had for oneself.
public enum EarsLockError: Error, Equatable, Sendable {
    /// Another command of this user holds them. The process id is information only; nil where it could not be read.
    case held(by: Int32?)
    /// The folder is not a folder of this user's own.
    case foreignFolder(path: String)
    case failed(path: String, errno: Int32)
}

/// That one command owns a pair of ears: `flock` on a file keyed by adapter and identity address.
///
/// The kernel lets go of it when the process ends, however it ends; the file itself stays, and means nothing.
public final class EarsLock: Sendable {
    public let adapter: AdapterName
    public let address: BluetoothAddress
    private let descriptor: Int32

    /// - Parameters:
    ///   - folder: a folder of this user's own; made (0700) where it is missing, its parent has to be there.
    ///   - process: written into the file as information for others.
    public init(
        adapter: AdapterName, address: BluetoothAddress, in folder: String, process: Int32
    ) throws(EarsLockError) {
        try Self.prepare(folder)
        let key = address.description.replacing(":", with: "-").lowercased()
        let path = "\(folder)/\(adapter)-\(key).lock"
        descriptor = try Self.open(path)
        self.adapter = adapter
        self.address = address
        do { try Self.lock(descriptor, path) } catch {
            close(descriptor)
            throw error
        }
        Self.write(process, to: descriptor)
    }

    deinit { close(descriptor) }

    private static func prepare(_ folder: String) throws(EarsLockError) {
        if mkdir(folder, 0o700) != 0, errno != EEXIST { throw .failed(path: folder, errno: errno) }
        var status = stat()
        guard lstat(folder, &status) == 0 else { throw .failed(path: folder, errno: errno) }
        guard status.st_mode & S_IFMT == S_IFDIR, status.st_uid == geteuid() else {
            throw .foreignFolder(path: folder)
        }
    }

    private static func open(_ path: String) throws(EarsLockError) -> Int32 {
        let descriptor = Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw .failed(path: path, errno: errno) }
        return descriptor
    }

    private static func lock(_ descriptor: Int32, _ path: String) throws(EarsLockError) {
        guard flock(descriptor, LOCK_EX | LOCK_NB) != 0 else { return }
        let reason = errno
        guard reason == EWOULDBLOCK else { throw .failed(path: path, errno: reason) }
        throw .held(by: holder(descriptor))
    }

    private static func holder(_ descriptor: Int32) -> Int32? {
        var digits = [UInt8](repeating: 0, count: 16)
        let count = pread(descriptor, &digits, digits.count, 0)
        guard count > 0 else { return nil }
        return Int32(String(decoding: digits.prefix(count), as: UTF8.self).split(separator: "\n").first ?? "")
    }

    /// Information only: where it cannot be written the lock holds all the same.
    private static func write(_ process: Int32, to descriptor: Int32) {
        let text = Array("\(process)\n".utf8)
        guard ftruncate(descriptor, 0) == 0 else { return }
        _ = pwrite(descriptor, text, text.count, 0)
    }
}

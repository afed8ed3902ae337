public import Bluetooth
internal import DurableFiles
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
    private let lock: FileLock

    /// - Parameter folder: a folder of this user's own; made (0700) where it is missing.
    public init(adapter: AdapterName, address: BluetoothAddress, in folder: String) throws(EarsLockError) {
        self.adapter = adapter
        self.address = address
        lock = try Self.acquire(Self.path(adapter, address, in: folder), in: folder)
    }

    private static func path(_ adapter: AdapterName, _ address: BluetoothAddress, in folder: String) -> String {
        "\(folder)/\(adapter)-\(address.description.replacing(":", with: "-").lowercased()).lock"
    }

    private static func acquire(_ path: String, in folder: String) throws(EarsLockError) -> FileLock {
        let attempt: FileLock.Attempt
        do { try makeFolder(folder, permissions: 0o700) } catch {
            throw .failed(path: error.path, errno: error.errno)
        }
        guard isOwn(folder) else { throw .foreignFolder(path: folder) }
        do { attempt = try FileLock.attempt(path) } catch { throw .failed(path: error.path, errno: error.errno) }
        switch consume attempt {
        case .held(let lock): return lock
        case .taken(let holder): throw .held(by: holder)
        }
    }

    /// Not through a link, and nobody else's: in a folder that all may write to, others could put one there.
    private static func isOwn(_ folder: String) -> Bool {
        var status = stat()
        guard lstat(folder, &status) == 0 else { return false }
        return status.st_mode & S_IFMT == S_IFDIR && status.st_uid == geteuid()
    }
}

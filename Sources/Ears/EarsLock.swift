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

    /// The process that owns the ears now; nil where none does, or it cannot be told. The lock is not touched.
    ///
    /// Two witnesses have to agree: the lock's file has the process's number in it, and the kernel lists a `flock` on
    /// that file (`/proc/locks`, proc_locks(5)) by that process.
    public static func holder(adapter: AdapterName, address: BluetoothAddress, in folder: String) -> Int32? {
        let path = path(adapter, address, in: folder)
        var status = stat()
        guard stat(path, &status) == 0, let text = try? ReadableFile.contents(of: path, limit: 16),
            let process = Int32(String(decoding: text.prefix { $0 != 0x0A }, as: UTF8.self)),
            let table = try? ReadableFile.contents(of: "/proc/locks", limit: lockTableLimit)
        else { return nil }
        let isListed = table.split(separator: 0x0A).contains { line in
            let fields = String(decoding: line, as: UTF8.self).split(separator: " ")
            return fields.count > 5 && fields[1] == "FLOCK" && fields[4] == "\(process)"
                && fields[5].hasSuffix(":\(status.st_ino)")
        }
        return isListed ? process : nil
    }

    /// Bytes of the kernel's list that are looked at.
    private static let lockTableLimit = 1 << 20

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

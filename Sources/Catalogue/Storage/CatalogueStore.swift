import Glibc

/// The metadata that this machine trusts, in a folder of its own: `root.json`, `timestamp.json`, `snapshot.json` and
/// `targets.json`, each byte for byte as it was received and replaced as a whole.
///
/// One process at a time works on it, under a `flock`.
public struct CatalogueStore: Sendable {
    public let folder: String
    private let limits: CatalogueLimits

    public init(folder: String, limits: CatalogueLimits = CatalogueLimits()) {
        self.folder = folder
        self.limits = limits
    }

    /// Makes a root the trusted one, in place of any other. Files that it does not vouch for are ignored from then on.
    public func trust(_ root: TrustedRoot) async throws(CatalogueError) {
        let access = try await exclusiveAccess()
        try access.write(root.bytes, as: .root)
    }

    /// The trusted root as it stands, for showing it.
    ///
    /// - Throws: `noTrustedRoot`, `localState`, or `untrusted` when the file was damaged.
    public func trustedRoot() throws(CatalogueError) -> TrustedRoot {
        guard let bytes = try read(.root) else { throw .noTrustedRoot(folder: folder) }
        return try TrustedRoot(bytes, limits: limits)
    }

    /// When the catalogue was last refreshed here with success.
    public func lastRefresh() -> UTCTime? {
        let text = try? ReadableFile.contents(of: path(Self.refreshFileName), limit: 64)
        return text.flatMap { UTCTime(utf8: $0) }
    }

    /// Waits for the lock, as long as `CatalogueLimits.lockTime`.
    func exclusiveAccess() async throws(CatalogueError) -> Access {
        do { try Folder.create(folder) } catch { throw .localState(error) }
        let lock = try await FileLock.acquire(path(Self.lockFileName), within: limits.lockTime)
        Folder.removeLeftovers(in: folder)
        return Access(store: self, lock: lock)
    }

    /// `nil` where there is no such file. A file past its limit is read one byte past it, for the rules to refuse.
    fileprivate func read(_ role: Role) throws(CatalogueError) -> [UInt8]? {
        do {
            return try ReadableFile.contents(of: path(role.fileName), limit: limits.bytes(of: role))
        } catch {
            guard error.code == ENOENT else { throw .localState(error) }
            return nil
        }
    }

    private func path(_ name: String) -> String { "\(folder)/\(name)" }

    private static let lockFileName = ".lock"
    private static let refreshFileName = "last-refresh"

    /// The store while the lock is held.
    struct Access: Sendable {
        fileprivate let store: CatalogueStore
        fileprivate let lock: FileLock

        func read(_ role: Role) throws(CatalogueError) -> [UInt8]? { try store.read(role) }

        func write(_ bytes: [UInt8], as role: Role) throws(CatalogueError) {
            try write(bytes, named: role.fileName)
        }

        func recordRefresh(at time: UTCTime) throws(CatalogueError) {
            try write(Array(time.description.utf8), named: CatalogueStore.refreshFileName)
        }

        private func write(_ bytes: [UInt8], named name: String) throws(CatalogueError) {
            do { try AtomicFile.write(bytes, to: store.path(name)) } catch { throw .localState(error) }
        }
    }
}

/// An exclusive `flock`, held until the last reference is gone. The kernel lets go of it when the process ends.
final class FileLock: Sendable {
    private let descriptor: Int32

    private init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    static func acquire(_ path: String, within wait: Duration) async throws(CatalogueError) -> FileLock {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw .localState(.last("open", path)) }
        let lock = FileLock(descriptor: descriptor)
        let deadline = ContinuousClock.now + wait
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            guard errno == EWOULDBLOCK || errno == EINTR else { throw .localState(.last("lock", path)) }
            guard ContinuousClock.now < deadline else { throw .locked(path: path) }
            do { try await Task.sleep(for: .milliseconds(25)) } catch { throw .cancelled }
        }
        return lock
    }
}

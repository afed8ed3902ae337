import DurableFiles
import Glibc
import Synchronization

/// The metadata that this machine trusts, in a folder of its own: `root.json`, `timestamp.json`, `snapshot.json` and
/// `targets.json`, and `<name>.json` of each delegated role that was asked, the name percent-encoded; each byte for byte as it was received and replaced as a whole.
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
        access.write(root.bytes, as: .root)
        // A person said so: it is not left open by a cancellation.
        try await access.settling().waitWhatever()
    }

    /// Starts from a root where this machine holds none, or only a damaged copy. One that is held stays: it may be newer,
    /// by another process that was started at the same moment.
    public func begin(from root: TrustedRoot) async throws(CatalogueError) {
        if try holdsRoot(read(.root)) { return }
        let access = try await exclusiveAccess()
        // Asked again under the lock: whoever held it until now may have come further than this root.
        if try !holdsRoot(access.read(.root)) { access.write(root.bytes, as: .root) }
        try await access.settling().waitWhatever()
    }

    /// A damaged copy is no word against the catalogue: it is fetched again from the same trusted root.
    private func holdsRoot(_ bytes: [UInt8]?) -> Bool {
        bytes.flatMap { try? TrustedRoot($0, limits: limits) } != nil
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
        do { try makeFolder(folder, permissions: 0o700) } catch { throw .localState(error) }
        let lock = try await lock(path(Self.lockFileName))
        removeAbandonedFiles(in: folder)
        return Access(store: self, lock: lock)
    }

    private func lock(_ path: String) async throws(CatalogueError) -> FileLock {
        let deadline = ContinuousClock.now + limits.lockTime
        while true {
            let attempt: FileLock.Attempt
            do { attempt = try FileLock.attempt(path) } catch { throw .localState(error) }
            if case .held(let lock) = consume attempt { return lock }
            guard ContinuousClock.now < deadline else { throw .locked(path: path) }
            do { try await Task.sleep(for: Self.lockPause) } catch { throw .cancelled }
        }
    }

    /// Between two attempts at the lock.
    private static let lockPause = Duration.milliseconds(25)

    /// `nil` where there is no such file. A file past its limit is read one byte past it, for the rules to refuse.
    fileprivate func read(_ role: RoleName) throws(CatalogueError) -> [UInt8]? {
        do {
            return try ReadableFile.contents(of: path(role.encodedFileName), limit: limits.bytes(of: role))
        } catch {
            guard error.errno == ENOENT else { throw .localState(error) }
            return nil
        }
    }

    private func path(_ name: String) -> String { "\(folder)/\(name)" }

    private static let lockFileName = ".lock"
    private static let refreshFileName = "last-refresh"

    /// The store while the lock is held.
    ///
    /// What is written is there for whoever reads through it at once, and in its file once it is settled. With that the
    /// lock is given up, and nothing more is read or written through it.
    final class Access: Sendable {
        private let store: CatalogueStore
        private let lock: Mutex<FileLock?>
        private let writes = OrderedWrites()

        fileprivate init(store: CatalogueStore, lock: consuming FileLock) {
            self.store = store
            self.lock = Mutex(lock)
        }

        /// Whether what this machine holds is of this version of the snapshot: another process may have refreshed it since.
        func holds(snapshot version: Int64) throws(CatalogueError) -> Bool {
            try read(.snapshot).flatMap { Envelope.statedVersion(of: $0, limits: store.limits.json) } == version
        }

        func read(_ role: RoleName) throws(CatalogueError) -> [UInt8]? {
            if let written = writes.contents(for: store.path(role.encodedFileName)) { return written }
            return try store.read(role)
        }

        func write(_ bytes: [UInt8], as role: RoleName) {
            writes.replace(
                store.path(role.encodedFileName), with: bytes, surviving: .powerCutOnceFolderIsSynchronised)
        }

        /// Information for messages alone: it need not outlive a power cut.
        func recordRefresh(at time: UTCTime) {
            writes.replace(
                store.path(CatalogueStore.refreshFileName), with: Array(time.description.utf8), surviving: .process)
        }

        /// Makes what was written survive a power cut, before anybody relies on it: all of it, or what came before the
        /// failure that is thrown. Where the task is cancelled nobody will: what is being written is waited for, and no
        /// more is.
        func settle() async throws(CatalogueError) { try await settling().wait() }

        /// Begins to, for who has something else to do until it is relied on.
        func settling() -> Settlement {
            let settlement = Settlement { [weak writes] in writes?.giveUp() }
            writes.finish(in: store.folder) { outcome in
                self.lock.withLock { $0 = nil }
                settlement.end(outcome)
            }
            return settlement
        }
    }
}

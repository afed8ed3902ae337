/// Fetches metadata in the order of the client's workflow (TUF specification 1.0.34, section 5) and keeps what
/// `TrustedCatalogue` accepts.
///
/// The requests are exactly: the next root until there is none, the timestamp, the snapshot and the targets that are
/// listed; a snapshot or targets whose local copy is the one listed is not fetched again.
public struct CatalogueUpdater: Sendable {
    private let store: CatalogueStore
    private let mirror: any Mirror
    private let limits: CatalogueLimits
    private let now: @Sendable () -> UTCTime

    public enum Mode: Hashable, Sendable {
        case online
        /// No request leaves this machine. An expired timestamp or snapshot is used and reported as stale; an expired
        /// root or targets never is.
        case offline
    }

    public init(
        store: CatalogueStore, mirror: any Mirror, limits: CatalogueLimits = CatalogueLimits(),
        now: @escaping @Sendable () -> UTCTime = { UTCTime.now() }
    ) {
        self.store = store
        self.mirror = mirror
        self.limits = limits
        self.now = now
    }

    public func refresh(_ mode: Mode = .online) async throws(CatalogueError) -> CatalogueContents {
        let access = try await store.exclusiveAccess()
        let source = mode == .offline && mirror.usesNetwork ? nil : mirror
        var refresh = try Refresh(access: access, mirror: source, mode: mode, now: now(), limits: limits, store: store)
        return try await refresh.run()
    }
}

/// One run of the workflow.
private struct Refresh {
    let access: CatalogueStore.Access
    /// `nil` when only local copies may be used.
    let mirror: (any Mirror)?
    let limits: CatalogueLimits
    let lastRefresh: UTCTime?
    var catalogue: TrustedCatalogue

    init(
        access: CatalogueStore.Access, mirror: (any Mirror)?, mode: CatalogueUpdater.Mode, now: UTCTime,
        limits: CatalogueLimits, store: CatalogueStore
    ) throws(CatalogueError) {
        guard let bytes = try access.read(.root) else { throw .noTrustedRoot(folder: store.folder) }
        self.access = access
        self.mirror = mirror
        self.limits = limits
        lastRefresh = store.lastRefresh()
        let freshness = mode == .offline ? TrustedCatalogue.Freshness.offline : .required
        do {
            catalogue = try TrustedCatalogue(trustedRoot: bytes, now: now, freshness: freshness, limits: limits)
        } catch {
            throw .untrusted(file: Role.root.fileName, error)
        }
    }

    mutating func run() async throws(CatalogueError) -> CatalogueContents {
        let root = try await currentRoot()
        let timestamp = try await currentTimestamp(root)
        let snapshot = try await currentSnapshot(root, timestamp)
        let targets = try await currentTargets(root, snapshot)
        if catalogue.freshness == .required { try access.recordRefresh(at: catalogue.now) }
        return CatalogueContents(
            root: root.metadata, timestamp: timestamp.metadata, snapshot: snapshot.metadata,
            targets: targets.metadata, checked: catalogue.now,
            staleSince: [timestamp.staleSince, snapshot.staleSince].compactMap(\.self).min())
    }

    /// 5.3: one root after another, each stored, until there is no next one.
    private mutating func currentRoot() async throws(CatalogueError) -> Current<Root> {
        var rotations = 0
        while let mirror, let next = catalogue.nextRootVersion {
            let name = "\(next).\(Role.root.fileName)"
            guard let bytes = try await fetchIfThere(name, from: mirror, limit: limits.rootBytes) else { break }
            guard rotations < limits.rootRotations else {
                throw .untrusted(file: name, .tooManyRoots(limit: limits.rootRotations))
            }
            rotations += 1
            do { try catalogue.update(root: bytes) } catch { throw .untrusted(file: name, error) }
            try access.write(bytes, as: .root)
        }
        return try withinItsTime { () throws(Expiry) in try catalogue.currentRoot() }
    }

    /// 5.4: the local copy for judging rollback by, then the mirror's.
    private mutating func currentTimestamp(_ root: Current<Root>) async throws(CatalogueError) -> Current<Timestamp> {
        if let local = try access.read(.timestamp) { _ = try? catalogue.update(timestamp: local, under: root) }
        let name = Role.timestamp.fileName
        guard let mirror else {
            guard let timestamp = try freshTimestamp() else { throw .notHere(file: name) }
            return timestamp
        }
        let bytes = try await fetch(name, from: mirror, limit: limits.timestampBytes)
        var isNew = false
        do { isNew = try catalogue.update(timestamp: bytes, under: root) } catch {
            throw .untrusted(file: name, error)
        }
        guard let timestamp = try freshTimestamp() else { throw .notHere(file: name) }
        if isNew { try access.write(bytes, as: .timestamp) }
        return timestamp
    }

    private func freshTimestamp() throws(CatalogueError) -> Current<Timestamp>? {
        try withinItsTime { () throws(Expiry) in try catalogue.currentTimestamp() }
    }

    /// 5.5: the local copy if it is the one listed, else the mirror's.
    private mutating func currentSnapshot(
        _ root: Current<Root>, _ timestamp: Current<Timestamp>
    ) async throws(CatalogueError) -> Current<Snapshot> {
        if let local = try access.read(.snapshot) {
            try? catalogue.update(snapshot: local, isLocal: true, under: root, listedBy: timestamp)
            if let snapshot = try? catalogue.currentSnapshot(listedBy: timestamp) { return snapshot }
        }
        let listed = timestamp.metadata.snapshot
        let name = fileName(.snapshot, version: listed.version)
        guard let mirror else { throw .notHere(file: name) }
        let bytes = try await fetch(name, from: mirror, limit: listed.length ?? limits.snapshotBytes)
        do {
            try catalogue.update(snapshot: bytes, isLocal: false, under: root, listedBy: timestamp)
        } catch {
            throw .untrusted(file: name, error)
        }
        let snapshot = try withinItsTime { () throws(Expiry) in try catalogue.currentSnapshot(listedBy: timestamp) }
        guard let snapshot else { throw .notHere(file: name) }
        try access.write(bytes, as: .snapshot)
        return snapshot
    }

    /// 5.6: likewise.
    private func currentTargets(
        _ root: Current<Root>, _ snapshot: Current<Snapshot>
    ) async throws(CatalogueError) -> Current<Targets> {
        let listed: ListedFile
        do { listed = try catalogue.listedTargets(by: snapshot) } catch {
            throw .untrusted(file: Role.snapshot.fileName, error)
        }
        if let local = try access.read(.targets),
            let targets = try? catalogue.targets(local, under: root, listedBy: snapshot)
        {
            // The listed targets are here: were they expired, the mirror's would be the same ones.
            return try withinItsTime { () throws(Expiry) in try catalogue.current(targets) }
        }
        let name = fileName(.targets, version: listed.version)
        guard let mirror else { throw .notHere(file: name) }
        let bytes = try await fetch(name, from: mirror, limit: listed.length ?? limits.targetsBytes)
        let targets: Targets
        do { targets = try catalogue.targets(bytes, under: root, listedBy: snapshot) } catch {
            throw .untrusted(file: name, error)
        }
        let current = try withinItsTime { () throws(Expiry) in try catalogue.current(targets) }
        try access.write(bytes, as: .targets)
        return current
    }

    /// Specification 6.2: versioned names where the root says that the mirror has them.
    private func fileName(_ role: Role, version: Int64) -> String {
        catalogue.root.consistentSnapshot ? "\(version).\(role.fileName)" : role.fileName
    }

    private func withinItsTime<Value>(_ check: () throws(Expiry) -> Value) throws(CatalogueError) -> Value {
        do { return try check() } catch {
            var expiry = error
            expiry.lastRefresh = lastRefresh
            throw .expired(expiry)
        }
    }

    private func fetch(_ name: String, from mirror: any Mirror, limit: Int) async throws(CatalogueError) -> [UInt8] {
        guard let bytes = try await fetchIfThere(name, from: mirror, limit: limit) else {
            throw .unreachable(file: name, .notFound)
        }
        return bytes
    }

    private func fetchIfThere(
        _ name: String, from mirror: any Mirror, limit: Int
    ) async throws(CatalogueError) -> [UInt8]? {
        do {
            return try await mirror.metadata(named: name, limit: limit)
        } catch {
            if error == .notFound { return nil }
            throw CatalogueError(error, file: name)
        }
    }
}

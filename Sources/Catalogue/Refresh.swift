/// One run of the workflow, from the trusted root to the top-level targets.
struct Refresh {
    private let source: MetadataSource
    private var catalogue: TrustedCatalogue

    init(source: MetadataSource, catalogue: TrustedCatalogue) {
        self.source = source
        self.catalogue = catalogue
    }

    private var access: CatalogueStore.Access { source.access }
    private var limits: CatalogueLimits { source.limits }

    mutating func run() async throws(CatalogueError) -> CatalogueContents {
        let root = try await currentRoot()
        let timestamp = try await currentTimestamp(root)
        let snapshot = try await currentSnapshot(root, timestamp)
        let targets = try await source.targets(
            under: root.metadata.mandate(for: .targets), in: catalogue, listedBy: snapshot)
        if catalogue.freshness == .required { access.recordRefresh(at: catalogue.now) }
        return CatalogueContents(
            catalogue: catalogue, timestamp: timestamp, currentSnapshot: snapshot, targets: targets.metadata,
            settlement: access.settling())
    }

    /// 5.3: one root after another, each stored, until there is no next one.
    private mutating func currentRoot() async throws(CatalogueError) -> Current<Root> {
        var rotations = 0
        while let mirror = source.mirror, let next = catalogue.nextRootVersion {
            let name = "\(next).\(Role.root.fileName)"
            guard let bytes = try await source.fetchIfThere(name, from: mirror, limit: limits.rootBytes) else { break }
            guard rotations < limits.rootRotations else {
                throw .untrusted(file: name, .tooManyRoots(limit: limits.rootRotations))
            }
            rotations += 1
            do { try catalogue.update(root: bytes) } catch { throw .untrusted(file: name, error) }
            access.write(bytes, as: .root)
        }
        return try source.withinItsTime { () throws(Expiry) in try catalogue.currentRoot() }
    }

    /// 5.4: the local copy for judging rollback by, then the mirror's.
    private mutating func currentTimestamp(_ root: Current<Root>) async throws(CatalogueError) -> Current<Timestamp> {
        if let local = try access.read(.timestamp) { _ = try? catalogue.update(timestamp: local, under: root) }
        let name = Role.timestamp.fileName
        guard source.mirror != nil else {
            guard let timestamp = try freshTimestamp() else { throw .notHere(file: name) }
            return timestamp
        }
        let bytes = try await source.fetch(name, limit: limits.timestampBytes)
        var isNew = false
        do { isNew = try catalogue.update(timestamp: bytes, under: root) } catch {
            throw source.untrusted(name, bytes, error)
        }
        guard let timestamp = try freshTimestamp() else { throw .notHere(file: name) }
        if isNew { access.write(bytes, as: .timestamp) }
        return timestamp
    }

    private func freshTimestamp() throws(CatalogueError) -> Current<Timestamp>? {
        try source.withinItsTime { () throws(Expiry) in try catalogue.currentTimestamp() }
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
        let name = source.fileName(.snapshot, version: listed.version, in: catalogue)
        let bytes = try await source.fetch(name, limit: min(listed.length ?? .max, limits.snapshotBytes))
        do {
            try catalogue.update(snapshot: bytes, isLocal: false, under: root, listedBy: timestamp)
        } catch {
            throw source.untrusted(name, bytes, error)
        }
        let snapshot = try source.withinItsTime { () throws(Expiry) in
            try catalogue.currentSnapshot(listedBy: timestamp)
        }
        guard let snapshot else { throw .notHere(file: name) }
        access.write(bytes, as: .snapshot)
        return snapshot
    }
}

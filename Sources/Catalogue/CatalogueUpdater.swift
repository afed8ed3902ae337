/// Fetches metadata in the order of the client's workflow (TUF specification 1.0.34, section 5) and keeps what
/// `TrustedCatalogue` accepts.
///
/// The requests of a refresh are exactly: the next root until there is none, the timestamp, the snapshot and the targets
/// that are listed; a snapshot or targets whose local copy is the one listed is not fetched again. A delegated role is
/// asked for when a target is looked for that it may speak for.
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

    /// What the refresh wrote outlives a power cut once this has returned.
    public func refresh(_ mode: Mode = .online) async throws(CatalogueError) -> CatalogueContents {
        let contents = try await refreshUnsettled(mode)
        try await contents.settled()
        return contents
    }

    /// Returns before the last files are on the disk: for who has more to do until the contents are relied on.
    public func refreshUnsettled(_ mode: Mode = .online) async throws(CatalogueError) -> CatalogueContents {
        let source = source(mode, try await store.exclusiveAccess(), keepsFiles: true)
        guard let bytes = try source.access.read(.root) else { throw .noTrustedRoot(folder: store.folder) }
        let catalogue: TrustedCatalogue
        do {
            catalogue = try TrustedCatalogue(
                trustedRoot: bytes, now: now(), freshness: mode == .offline ? .offline : .required, limits: limits)
        } catch {
            throw .untrusted(file: Role.root.fileName, error)
        }
        var refresh = Refresh(source: source, catalogue: catalogue)
        return try await source.besideRequests { () throws(CatalogueError) in
            try await keeping(source) { () throws(CatalogueError) in try await refresh.run() }
        }
    }

    /// A target of a refreshed catalogue by its path, whichever role speaks for it (specification 5.6.7).
    ///
    /// - Throws: `noSuchTarget` when no role that may speak for the path lists it. A role on the way that cannot be had,
    ///   or is not to be trusted, ends the search: another one's word would stand in place of its own.
    public func target(
        at path: UTF8Text, in contents: CatalogueContents
    ) async throws(CatalogueError) -> Target {
        if let target = contents.targets.target(at: path) { return target }
        let source = try await source(below: contents)
        return try await settled(source) { () throws(CatalogueError) in
            try await search(for: path, in: contents, source)
        }
    }

    private func search(
        for path: UTF8Text, in contents: CatalogueContents, _ source: MetadataSource
    ) async throws(CatalogueError) -> Target {
        var search = DelegationSearch(for: path, from: contents.targets, limit: limits.delegations)
        while let mandate = try next(in: &search) {
            let targets = try await source.targets(
                under: mandate, in: contents.catalogue, listedBy: contents.currentSnapshot)
            if let target = targets.metadata.target(at: path) { return target }
            search.follow(targets.metadata, of: mandate.role)
        }
        throw .noSuchTarget(path: path)
    }

    /// What work wrote outlives a power cut once it has returned.
    private func settled<Value>(
        _ source: MetadataSource, _ work: () async throws(CatalogueError) -> Value
    ) async throws(CatalogueError) -> Value {
        try await source.besideRequests { () throws(CatalogueError) in
            let value = try await keeping(source, work)
            try await source.access.settle()
            return value
        }
    }

    /// What was written stays where not all of the work was done: later rollback is judged by it. A cancellation leaves
    /// out what is not being written yet, which nobody has relied on.
    private func keeping<Value>(
        _ source: MetadataSource, _ work: () async throws(CatalogueError) -> Value
    ) async throws(CatalogueError) -> Value {
        do { return try await work() } catch {
            try? await source.access.settle()
            throw error
        }
    }

    /// What the catalogue lists that may be a release, whichever role speaks for it.
    ///
    /// Every role that may speak for releases of the family has to be had and to be trusted: a list without its
    /// releases would offer an older one as the newest. Roles that speak for something else are not asked.
    ///
    /// - Parameter family: `nil` for any.
    public func listing(
        of contents: CatalogueContents, family: String?
    ) async throws(CatalogueError) -> ReleaseListing {
        guard contents.delegates else {
            try await contents.settled()
            return ReleaseListing(contents.targets.targets)
        }
        let source = try await source(below: contents)
        return try await settled(source) { () throws(CatalogueError) in
            var roles = DelegatedReleases(of: family, below: contents.targets, limits: limits)
            while let mandate = try judged({ () throws(Distrust) in try roles.next() }) {
                let targets = try await source.targets(
                    under: mandate, in: contents.catalogue, listedBy: contents.currentSnapshot)
                try judged { () throws(Distrust) in try roles.add(targets.metadata, under: mandate) }
            }
            return try judged { () throws(Distrust) in try roles.listing() }
        }
    }

    private func next(in search: inout DelegationSearch) throws(CatalogueError) -> Mandate? {
        try judged { () throws(Distrust) in try search.next() }
    }

    /// What is wrong with delegations as a whole is told of the file at their top.
    private func judged<Value>(_ rule: () throws(Distrust) -> Value) throws(CatalogueError) -> Value {
        do { return try rule() } catch { throw .untrusted(file: RoleName.targets.fileName, error) }
    }

    /// Of the roles below those that a refresh fetches.
    private func source(below contents: CatalogueContents) async throws(CatalogueError) -> MetadataSource {
        try await contents.settled()
        let access = try await store.exclusiveAccess()
        return source(
            contents.catalogue.freshness == .offline ? .offline : .online, access,
            keepsFiles: try access.holds(snapshot: contents.snapshot.version))
    }

    private func source(_ mode: Mode, _ access: CatalogueStore.Access, keepsFiles: Bool) -> MetadataSource {
        MetadataSource(
            access: access, mirror: mode == .online || mirror.isAskedOffline ? mirror : nil, limits: limits,
            keepsFiles: keepsFiles, lastRefresh: store.lastRefresh(),
            deadline: ContinuousClock.now + limits.refreshTime)
    }
}

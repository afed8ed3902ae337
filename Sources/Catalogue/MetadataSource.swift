import Download

/// The metadata of one refresh: from this machine's copies or from the mirror, and what the rules make of it.
struct MetadataSource {
    let access: CatalogueStore.Access
    /// `nil` when only local copies may be used.
    let mirror: (any Mirror)?
    let limits: CatalogueLimits
    /// Whether what is fetched belongs to the snapshot that this machine holds. Else it is used and not kept: another
    /// process has refreshed since, and an older role's file would stand beside its newer ones.
    let keepsFiles: Bool
    /// When the catalogue was last refreshed here with success.
    let lastRefresh: UTCTime?
    /// After it nothing more is fetched.
    let deadline: ContinuousClock.Instant

    /// 5.6, and 5.6.7 for a delegated role: the local copy if it is the one listed and signed by those whom this
    /// delegator names, else the mirror's.
    func targets(
        under mandate: Mandate, in catalogue: TrustedCatalogue, listedBy snapshot: Current<Snapshot>
    ) async throws(CatalogueError) -> Current<Targets> {
        let role = mandate.role
        let listed: ListedFile
        do { listed = try catalogue.listing(of: role, by: snapshot) } catch {
            throw .untrusted(file: RoleName.snapshot.fileName, error)
        }
        if let local = try access.read(role),
            let targets = try? catalogue.targets(local, under: mandate, listedBy: snapshot)
        {
            if let current = try? catalogue.current(targets, of: role) { return current }
            if mirror == nil {
                return try withinItsTime { () throws(Expiry) in try catalogue.current(targets, of: role) }
            }
        }
        let name = fileName(role, version: listed.version, in: catalogue)
        let bytes = try await fetch(name, limit: min(listed.length ?? .max, limits.targetsBytes))
        let targets: Targets
        do { targets = try catalogue.targets(bytes, under: mandate, listedBy: snapshot) } catch {
            throw untrusted(name, bytes, error)
        }
        let current = try withinItsTime { () throws(Expiry) in try catalogue.current(targets, of: role) }
        if keepsFiles { access.write(bytes, as: role) }
        return current
    }

    /// Specification 6.2: versioned names where the root says that the mirror has them.
    func fileName(_ role: RoleName, version: Int64, in catalogue: TrustedCatalogue) -> String {
        catalogue.root.consistentSnapshot ? "\(version).\(role.fileName)" : role.fileName
    }

    /// A received file that is refused. What it says of its version is told where its name says none.
    func untrusted(_ name: String, _ bytes: [UInt8], _ reason: Distrust) -> CatalogueError {
        let isVersioned = name.utf8.first.map { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ?? false
        let version = isVersioned ? nil : Envelope.statedVersion(of: bytes, limits: limits.json)
        return .untrusted(file: name, version: version, reason)
    }

    func withinItsTime<Value>(_ check: () throws(Expiry) -> Value) throws(CatalogueError) -> Value {
        do { return try check() } catch {
            var expiry = error
            expiry.lastRefresh = lastRefresh
            throw .expired(expiry)
        }
    }

    /// Does work where the mirror's requests wait.
    func besideRequests<Value>(
        _ work: () async throws(CatalogueError) -> Value
    ) async throws(CatalogueError) -> Value {
        guard let mirror else { return try await work() }
        return try await mirror.besideRequests(work)
    }

    func fetch(_ name: String, limit: Int) async throws(CatalogueError) -> [UInt8] {
        guard let mirror else { throw .notHere(file: name) }
        guard let bytes = try await fetchIfThere(name, from: mirror, limit: limit) else {
            throw .unreachable(file: name, .notFound)
        }
        return bytes
    }

    func fetchIfThere(
        _ name: String, from mirror: any Mirror, limit: Int
    ) async throws(CatalogueError) -> [UInt8]? {
        guard ContinuousClock.now < deadline else {
            throw .unreachable(file: name, .transfer(.timedOut(after: limits.refreshTime)))
        }
        do {
            return try await mirror.metadata(named: name, limit: limit)
        } catch {
            if error == .notFound { return nil }
            throw CatalogueError(error, file: name)
        }
    }
}

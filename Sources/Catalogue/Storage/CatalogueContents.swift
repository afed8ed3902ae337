/// What a refresh found: verified metadata, and how old it is.
///
/// Its last files may still be on their way to the disk (`CatalogueUpdater.refreshUnsettled`). Whatever hands out a target's
/// file or a list of releases waits until a power cut could not take back what lists them.
public struct CatalogueContents: Sendable {
    public let timestamp: Timestamp
    /// Of the top-level role.
    public let targets: Targets
    /// Offline only: since when the timestamp or the snapshot has been expired, the earlier of the two.
    public let staleSince: UTCTime?
    let catalogue: TrustedCatalogue
    let currentSnapshot: Current<Snapshot>
    private let settlement: Settlement

    init(
        catalogue: TrustedCatalogue, timestamp: Current<Timestamp>, currentSnapshot: Current<Snapshot>,
        targets: Targets, settlement: Settlement
    ) {
        self.timestamp = timestamp.metadata
        self.targets = targets
        staleSince = [timestamp.staleSince, currentSnapshot.staleSince].compactMap(\.self).min()
        self.catalogue = catalogue
        self.currentSnapshot = currentSnapshot
        self.settlement = settlement
    }

    /// Waits until what the refresh wrote would outlive a power cut.
    ///
    /// - Throws: `localState` where it could not be written; the older catalogue is there then. `cancelled` where the task
    ///   is, or another one was that waited for the same.
    public func settled() async throws(CatalogueError) { try await settlement.wait() }

    /// Whether roles below the top may speak for releases, which a listing asks for after the refresh.
    public var delegates: Bool { targets.delegations != nil }

    public var root: Root { catalogue.root }
    public var snapshot: Snapshot { currentSnapshot.metadata }
    /// What this machine took the time to be.
    public var checked: UTCTime { catalogue.now }

    /// A target of the top-level role by its path.
    public func target(at path: UTF8Text) throws(CatalogueError) -> Target {
        guard let target = targets.target(at: path) else { throw .noSuchTarget(path: path) }
        return target
    }
}

/// What a refresh found: verified metadata, and how old it is.
public struct CatalogueContents: Sendable {
    public let root: Root
    public let timestamp: Timestamp
    public let snapshot: Snapshot
    public let targets: Targets
    /// What this machine took the time to be.
    public let checked: UTCTime
    /// Offline only: since when the timestamp or the snapshot has been expired, the earlier of the two.
    public let staleSince: UTCTime?

    /// A target by its path.
    public func target(at path: UTF8Text) throws(CatalogueError) -> Target {
        guard let target = targets.targets.first(where: { $0.path == path }) else { throw .noSuchTarget(path: path) }
        return target
    }

    /// The targets that are releases, in the order of their paths.
    public var releases: [Release] { targets.targets.compactMap { try? Release($0) } }

    /// The targets that are not, each with the reason.
    public var otherTargets: [(target: Target, reason: ReleaseFault)] {
        targets.targets.compactMap { target in
            do throws(ReleaseFault) {
                _ = try Release(target)
                return nil
            } catch {
                return (target, error)
            }
        }
    }
}

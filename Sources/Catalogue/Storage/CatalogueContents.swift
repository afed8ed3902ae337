/// What a refresh found: verified metadata, and how old it is.
public struct CatalogueContents: Sendable {
    public let timestamp: Timestamp
    /// Of the top-level role.
    public let targets: Targets
    /// Offline only: since when the timestamp or the snapshot has been expired, the earlier of the two.
    public let staleSince: UTCTime?
    let catalogue: TrustedCatalogue
    let currentSnapshot: Current<Snapshot>

    init(
        catalogue: TrustedCatalogue, timestamp: Current<Timestamp>, currentSnapshot: Current<Snapshot>,
        targets: Targets
    ) {
        self.timestamp = timestamp.metadata
        self.targets = targets
        staleSince = [timestamp.staleSince, currentSnapshot.staleSince].compactMap(\.self).min()
        self.catalogue = catalogue
        self.currentSnapshot = currentSnapshot
    }

    public var root: Root { catalogue.root }
    public var snapshot: Snapshot { currentSnapshot.metadata }
    /// What this machine took the time to be.
    public var checked: UTCTime { catalogue.now }

    /// A target of the top-level role by its path.
    public func target(at path: UTF8Text) throws(CatalogueError) -> Target {
        guard let target = targets.target(at: path) else { throw .noSuchTarget(path: path) }
        return target
    }

    /// The targets that are releases, in the order of their paths.
    public var releases: [Release] { targets.targets.compactMap { try? Release($0) } }

    /// The targets of a family, of one version or of any, whose path and `custom` contradict each other: whichever of
    /// the two names it.
    public func contradictions(family: String, version: SemanticVersion?) -> [ReleaseContradiction] {
        targets.targets.compactMap(ReleaseContradiction.init).filter { $0.concerns(family: family, version: version) }
    }

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

/// A target whose path and `custom` say different things: no release, and nothing to be left out in silence.
public struct ReleaseContradiction: Hashable, Sendable {
    public let path: UTF8Text
    /// `family` or `version`.
    public let field: String
    /// What the path says.
    public let pathValue: String
    public let customValue: String

    /// Nil for a release, and for what is none for another reason.
    public init?(_ target: Target) {
        do throws(ReleaseFault) {
            _ = try Release(target)
            return nil
        } catch {
            guard case .pathDisagrees(let field, let path, let custom) = error else { return nil }
            self.path = target.path
            self.field = field
            pathValue = path
            customValue = custom
        }
    }

    /// - Parameter version: nil for any.
    public func concerns(family: String, version: SemanticVersion?) -> Bool {
        let parts = path.string.split(separator: "/").map(String.init)
        let families = parts.prefix(1) + (field == "family" ? [customValue] : [])
        let versions = parts.dropFirst().prefix(1) + (field == "version" ? [customValue] : [])
        return families.contains(family) && (version.map { versions.contains($0.description) } ?? true)
    }
}

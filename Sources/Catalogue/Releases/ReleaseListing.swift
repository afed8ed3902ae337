/// The targets of one refreshed catalogue, whichever role speaks for them, seen as releases.
public struct ReleaseListing: Sendable {
    /// In the order of their paths.
    public let targets: [Target]

    init(_ targets: [Target]) { self.targets = targets }

    /// The targets that are releases, in the order of their paths.
    public var releases: [Release] { targets.compactMap { try? Release($0) } }

    /// The targets of a family and a version, `nil` for any, whose path and `custom` contradict each other: whichever of
    /// the two names it.
    public func contradictions(family: String?, version: SemanticVersion?) -> [ReleaseContradiction] {
        targets.compactMap(ReleaseContradiction.init).filter { $0.concerns(family: family, version: version) }
    }

    /// The targets that are not, each with the reason.
    public var otherTargets: [(target: Target, reason: ReleaseFault)] {
        targets.compactMap { target in
            do throws(ReleaseFault) {
                _ = try Release(target)
                return nil
            } catch {
                return (target, error)
            }
        }
    }
}

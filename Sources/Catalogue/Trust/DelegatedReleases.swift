/// The delegated roles that may speak for releases, and what they list: which role is needed next, and once all are
/// there, which targets the search for each path (specification 5.6.7) ends at.
struct DelegatedReleases {
    private let family: String?
    private let top: Targets
    private let limits: CatalogueLimits
    /// The last one is next.
    private var waiting: [Mandate] = []
    /// A role counts once for each delegator: each names keys of its own for it.
    private var asked: Set<Edge> = []
    private var known: [Edge: Targets] = [:]
    private var paths: Set<UTF8Text> = []

    private struct Edge: Hashable {
        let delegator: RoleName
        let role: RoleName

        init(_ mandate: Mandate) {
            delegator = mandate.delegator
            role = mandate.role
        }
    }

    /// - Parameter family: `nil` for any.
    init(of family: String?, below top: Targets, limits: CatalogueLimits) {
        self.family = family
        self.top = top
        self.limits = limits
        follow(top, of: .targets)
    }

    /// The next role whose targets are needed; `nil` when all are there.
    mutating func next() throws(Distrust) -> Mandate? {
        while let mandate = waiting.popLast() {
            guard asked.insert(Edge(mandate)).inserted else { continue }
            guard asked.count <= limits.listedRoles else { throw .tooManyDelegations(limit: limits.listedRoles) }
            return mandate
        }
        return nil
    }

    mutating func add(_ targets: Targets, under mandate: Mandate) throws(Distrust) {
        known[Edge(mandate)] = targets
        paths.formUnion(targets.targets.map(\.path))
        guard paths.count <= limits.listedTargets else { throw .tooManyTargets(limit: limits.listedTargets) }
        follow(targets, of: mandate.role)
    }

    private mutating func follow(_ targets: Targets, of role: RoleName) {
        // One more than the limit, for `next` to find.
        let below = targets.delegations?.mandates(forReleasesOf: family, by: role, limit: limits.listedRoles + 1)
        waiting += below?.reversed() ?? []
    }

    /// The targets at the top, and each delegated one that its path leads to: a role that lists what it may not speak
    /// for, or what another speaks for before it, is not heard.
    func listing() throws(Distrust) -> ReleaseListing {
        var targets = top.targets
        for path in paths where top.target(at: path) == nil {
            if let target = try target(at: path) { targets.append(target) }
        }
        return ReleaseListing(targets.sorted { $0.path < $1.path })
    }

    private func target(at path: UTF8Text) throws(Distrust) -> Target? {
        var search = DelegationSearch(for: path, from: top, limit: limits.listedRoles)
        while let mandate = try search.next() {
            // Only a role that speaks for no release of this family was not asked, and so for no release at this path.
            guard let targets = known[Edge(mandate)] else { return nil }
            if let target = targets.target(at: path) { return target }
            search.follow(targets, of: mandate.role)
        }
        return nil
    }
}

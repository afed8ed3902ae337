/// Which role is asked next about a target (specification 5.6.7): pre-order and depth first, each role once, a
/// terminating delegation ending what comes after it.
struct DelegationSearch {
    private let path: UTF8Text
    private let limit: Int
    /// The last one is next.
    private var waiting: [Delegation] = []
    private var visited: Set<RoleName> = []

    /// - Parameter limit: of roles that are asked, the top-level targets not among them.
    init(for path: UTF8Text, from targets: Targets, limit: Int) {
        self.path = path
        self.limit = limit
        follow(targets, of: .targets)
    }

    /// The next role to ask; `nil` when there is none left, and so no such target.
    mutating func next() throws(Distrust) -> Mandate? {
        while let delegation = waiting.popLast() {
            guard visited.insert(delegation.mandate.role).inserted else { continue }
            guard visited.count <= limit else { throw .tooManyDelegations(limit: limit) }
            return delegation.mandate
        }
        return nil
    }

    /// Goes into the delegations of the role that was asked last, which does not list the target itself.
    mutating func follow(_ targets: Targets, of role: RoleName) {
        var below: [Delegation] = []
        for delegation in targets.delegations?.delegations(of: path, by: role) ?? [] {
            below.append(delegation)
            guard !delegation.isTerminating else {
                waiting = []
                break
            }
        }
        waiting += below.reversed()
    }
}

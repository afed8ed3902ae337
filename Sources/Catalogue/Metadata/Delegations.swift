/// Who else speaks for which of the targets (specification 4.5, `delegations`).
struct Delegations: Sendable {
    private let keys: [UTF8Text: PublicKey]
    private let division: Division

    private enum Division: Sendable {
        /// In the order of their priority.
        case roles([DelegatedRole])
        case hashBins(HashBins)
    }

    init(_ fields: Fields) throws(Distrust) {
        keys = try [UTF8Text: PublicKey](try fields.fields("keys"))
        guard fields.has("roles") != fields.has("succinct_roles") else { throw fields.bad("roles") }
        if fields.has("succinct_roles") {
            division = .hashBins(try HashBins(try fields.fields("succinct_roles")))
        } else {
            division = .roles(try Self.roles(fields))
        }
    }

    private static func roles(_ fields: Fields) throws(Distrust) -> [DelegatedRole] {
        guard let list = try fields.value("roles").arrayValue else { throw fields.bad("roles") }
        var roles: [DelegatedRole] = []
        var names: Set<RoleName> = []
        for element in list {
            let role = try DelegatedRole(try Fields(element, at: fields.path + ".roles"))
            guard names.insert(role.name).inserted else { throw fields.bad("roles") }
            roles.append(role)
        }
        return roles
    }

    /// The roles that may speak for a target, in the order in which they are asked.
    func delegations(of path: UTF8Text, by delegator: RoleName) -> [Delegation] {
        switch division {
        case .roles(let roles):
            roles.filter { $0.scope.covers(path) }.map {
                Delegation(
                    mandate: mandate(of: $0.name, $0.authority, by: delegator), isTerminating: $0.isTerminating)
            }
        case .hashBins(let bins):
            // TAP 15: nobody but the one bin speaks for the path.
            [
                Delegation(
                    mandate: mandate(of: bins.bin(of: path), bins.authority, by: delegator), isTerminating: true)
            ]
        }
    }

    /// The roles that may speak for releases of a family, or of any; of hash bins no more than `limit`.
    func mandates(forReleasesOf family: String?, by delegator: RoleName, limit: Int) -> [Mandate] {
        switch division {
        case .roles(let roles):
            roles.filter { $0.scope.mayCoverReleases(of: family) }
                .map { mandate(of: $0.name, $0.authority, by: delegator) }
        case .hashBins(let bins):
            bins.names(limit: limit).map { mandate(of: $0, bins.authority, by: delegator) }
        }
    }

    private func mandate(of role: RoleName, _ authority: Authority, by delegator: RoleName) -> Mandate {
        Mandate(role: role, delegator: delegator, authority: authority, keys: keys)
    }
}

/// One role that may speak for a target, by the word of its delegator.
struct Delegation: Sendable {
    let mandate: Mandate
    /// Whether nobody is asked any more who comes after this role and those that it delegates to.
    let isTerminating: Bool
}

/// A role that is delegated to by name.
struct DelegatedRole: Sendable {
    let name: RoleName
    let authority: Authority
    let isTerminating: Bool
    let scope: Scope

    enum Scope: Sendable {
        case paths([PathPattern])
        /// Lower-case hexadecimal beginnings of the SHA-256 of a path.
        case hashPrefixes([UTF8Text])

        func covers(_ path: UTF8Text) -> Bool {
            switch self {
            case .paths(let patterns): patterns.contains { $0.matches(path) }
            case .hashPrefixes(let prefixes): path.hasHash(startingWithAnyOf: prefixes)
            }
        }

        func mayCoverReleases(of family: String?) -> Bool {
            switch self {
            case .paths(let patterns): patterns.contains { $0.mayMatchRelease(of: family) }
            case .hashPrefixes: true
            }
        }
    }

    init(_ fields: Fields) throws(Distrust) {
        guard let name = RoleName(delegated: try fields.text("name")) else { throw fields.bad("name") }
        self.name = name
        authority = try Authority(fields)
        isTerminating = try fields.boolean("terminating")
        scope = try Scope(fields)
    }
}

extension DelegatedRole.Scope {
    fileprivate init(_ fields: Fields) throws(Distrust) {
        guard fields.has("paths") != fields.has("path_hash_prefixes") else { throw fields.bad("paths") }
        if fields.has("paths") {
            var patterns: [PathPattern] = []
            for text in try fields.texts("paths") {
                guard let pattern = PathPattern(text) else { throw fields.bad("paths") }
                patterns.append(pattern)
            }
            self = .paths(patterns)
        } else {
            let prefixes = try fields.texts("path_hash_prefixes")
            guard prefixes.allSatisfy({ $0.bytes.allSatisfy(Hexadecimal.isLowerCaseDigit) }) else {
                throw fields.bad("path_hash_prefixes")
            }
            self = .hashPrefixes(prefixes)
        }
    }
}

/// Who may sign what (specification 4.3).
public struct Root: SignedMetadata {
    static let role = Role.root

    public let version: Int64
    public let expires: UTCTime
    /// Whether the mirror serves metadata under versioned names and targets under names with their hash.
    public let consistentSnapshot: Bool
    /// Key identifiers are opaque here: in roots in use they are not always the hash of their key.
    let keys: [UTF8Text: PublicKey]
    private let authorities: [Role: Authority]

    init(signed: Fields) throws(Distrust) {
        version = try signed.integer("version", atLeast: 1)
        expires = try signed.time("expires")
        consistentSnapshot = signed.has("consistent_snapshot") ? try signed.boolean("consistent_snapshot") : false
        keys = try [UTF8Text: PublicKey](try signed.fields("keys"))
        let roles = try signed.fields("roles")
        var authorities: [Role: Authority] = [:]
        for role in Role.allCases { authorities[role] = try Authority(try roles.fields(UTF8Text(role.rawValue))) }
        self.authorities = authorities
    }

    /// Which keys speak for a role, and how many of them it takes.
    func authority(of role: Role) -> Authority { authorities[role] ?? .none }
}

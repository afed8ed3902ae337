import Download

/// A role by its name: one of the four at the top, or a targets role that another one delegates to.
public enum RoleName: Hashable, Sendable, CustomStringConvertible {
    case topLevel(Role)
    case delegated(UTF8Text)

    public static let root = RoleName.topLevel(.root)
    public static let timestamp = RoleName.topLevel(.timestamp)
    public static let snapshot = RoleName.topLevel(.snapshot)
    public static let targets = RoleName.topLevel(.targets)

    public var description: String {
        switch self {
        case .topLevel(let role): role.rawValue
        case .delegated(let name): name.string
        }
    }

    /// The unversioned file name, as the snapshot lists it and a mirror is asked for it. May hold any character.
    var fileName: String { description + ".json" }

    /// The file name that is safe in a folder: percent-encoded but for the unreserved characters of RFC 3986.
    var encodedFileName: String { PermittedURL.percentEncoded(Array(description.utf8)) + ".json" }
}

extension RoleName {
    /// A delegated role's name: not empty, not a top-level role's, and short enough for a file name when encoded.
    init?(delegated name: UTF8Text) {
        guard (1...CatalogueLimits.roleNameBytes).contains(name.bytes.count), Role(rawValue: name.string) == nil else {
            return nil
        }
        self = .delegated(name)
    }
}

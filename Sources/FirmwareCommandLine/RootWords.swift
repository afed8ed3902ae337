public import Catalogue
public import CommandLineTools

/// A trusted root as it was given, and what the catalogue has led this machine to since.
public struct RootInForce: Sendable {
    public let given: TrustedRoot
    /// What signatures are verified with; a later version than ``given`` where the maker has published one.
    public let followed: TrustedRoot

    init(given: TrustedRoot, followed: TrustedRoot) {
        self.given = given
        self.followed = followed
    }

    /// No request is made, and nothing is written.
    ///
    /// - Throws: ``ExitStatus/outputNotWritable`` where this machine's own copy cannot be looked at.
    public init(given: TrustedRoot, in directories: UserDirectories) throws(CommandFailure) {
        let store = CatalogueStore(folder: CatalogueAccess.storeFolder(of: given, in: directories))
        do throws(CatalogueError) {
            self.init(given: given, followed: try store.trustedRoot())
        } catch {
            switch error {
            // The next refresh begins at the given one again.
            case .noTrustedRoot, .untrusted: self.init(given: given, followed: given)
            default: throw CommandFailure(error)
            }
        }
    }

    private var differ: Bool { given.fingerprint != followed.fingerprint }

    /// The root in force; where it is not the one that was given, both are told apart first.
    public var lines: [String] {
        guard differ else { return given.lines }
        let both =
            "given to this machine: version \(given.root.version), fingerprint \(given.fingerprint); "
            + "followed to: version \(followed.root.version)"
        return [both] + followed.lines
    }

    public var members: [(String, JSON)] {
        [
            ("fingerprint", .string(followed.fingerprint)), ("version", .integer(followed.root.version)),
            ("expires", .string(followed.root.expires.description)), ("keys", .array(followed.keysJSON)),
            (
                "given",
                .object([
                    ("fingerprint", .string(given.fingerprint)), ("version", .integer(given.root.version)),
                    ("expires", .string(given.root.expires.description)),
                ])
            ),
        ]
    }
}

extension TrustedRoot {
    /// The one rule: the file's hash covers the keys, their roles and thresholds, which no key's own does.
    public static let comparison =
        "Compare the root's fingerprint, the SHA-256 of its file, with the one that the catalogue's maker published elsewhere"

    /// Version, expiry and fingerprint, then each role's threshold and keys.
    public var lines: [String] {
        ["root version \(root.version), expires \(root.expires)", "fingerprint \(fingerprint)"]
            + Role.allCases.flatMap { role in
                let keys = keys.filter { $0.role == role }
                return ["\(role.rawValue): \(threshold(of: role)) of \(keys.count)"]
                    + keys.map { key in
                        "  \((key.scheme?.string ?? "unknown").printable)  \(key.fingerprint ?? "(unusable)")"
                    }
            }
    }

    fileprivate var keysJSON: [JSON] {
        keys.map { key in
            .object([
                ("role", .string(key.role.rawValue)), ("key_id", .string(key.keyID.string)),
                ("scheme", .optional(key.scheme?.string)), ("fingerprint", .optional(key.fingerprint)),
                ("threshold", .integer(Int64(threshold(of: key.role)))),
            ])
        }
    }
}

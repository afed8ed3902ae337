@testable import Catalogue

/// A delegated role of a `TestRepository`.
struct TestRole {
    var keys: [SigningKey]
    var version: Int64 = 1
    var expires = "2031-01-01T00:00:00Z"
    var targets: [String: [UInt8]] = [:]
    /// `custom` of targets, by their path.
    var custom: [String: JSONValue] = [:]
    var delegations: JSONValue?

    /// What the role's targets metadata says.
    var part: JSONValue {
        let listed = targets.map { path, bytes in
            let entry: JSONValue = [
                "length": .integer(Int64(bytes.count)), "hashes": ["sha256": .init(stringLiteral: sha256(bytes))],
            ]
            return (path, custom[path].map { entry.setting("custom", to: $0) } ?? entry)
        }
        let part: JSONValue = [
            "_type": "targets", "spec_version": "1.0.34", "version": .integer(version),
            "expires": .init(stringLiteral: expires), "targets": .members(listed),
        ]
        return delegations.map { part.setting("delegations", to: $0) } ?? part
    }

    var file: [UInt8] { signed(part, by: keys) }
}

/// One entry of `delegations.roles`.
struct TestDelegation {
    var name: String
    var keys: [SigningKey]
    var threshold: Int64 = 1
    var isTerminating = false
    var paths: [String] = ["*"]
    /// In place of `paths`.
    var hashPrefixes: [String]?

    var entry: JSONValue {
        let entry: JSONValue = [
            "name": .init(stringLiteral: name), "keyids": .array(keys.map { .init(stringLiteral: $0.keyID) }),
            "threshold": .integer(threshold), "terminating": .boolean(isTerminating),
        ]
        if let hashPrefixes {
            return entry.setting("path_hash_prefixes", to: .array(hashPrefixes.map { .init(stringLiteral: $0) }))
        }
        return entry.setting("paths", to: .array(paths.map { .init(stringLiteral: $0) }))
    }
}

/// `delegations` as metadata holds it.
func delegations(_ roles: TestDelegation...) -> JSONValue {
    ["keys": keyList(roles.flatMap(\.keys)), "roles": .array(roles.map(\.entry))]
}

func succinctDelegations(prefix: String, bitLength: Int64, keys: [SigningKey]) -> JSONValue {
    [
        "keys": keyList(keys),
        "succinct_roles": [
            "keyids": .array(keys.map { .init(stringLiteral: $0.keyID) }), "threshold": 1,
            "bit_length": .integer(bitLength), "name_prefix": .init(stringLiteral: prefix),
        ],
    ]
}

private func keyList(_ keys: [SigningKey]) -> JSONValue {
    var list: [String: JSONValue] = [:]
    for key in keys { list[key.keyID] = key.metadata }
    return .members(list.map { ($0, $1) })
}

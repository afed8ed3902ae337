import Crypto

@testable import Catalogue

/// A repository whose state a test changes and then publishes to a mirror, well or badly.
struct TestRepository {
    static let now = UTCTime("2030-01-01T00:00:00Z")!

    /// Keys and threshold of each role.
    var authority: [Role: (keys: [SigningKey], threshold: Int)] = [
        .root: ([SigningKey(1), SigningKey(2), SigningKey(3)], 2), .timestamp: ([SigningKey(4)], 1),
        .snapshot: ([SigningKey(5)], 1), .targets: ([SigningKey(6)], 1),
    ]
    var version: [Role: Int64] = [.root: 1, .timestamp: 1, .snapshot: 1, .targets: 1]
    var expires: [Role: String] = [
        .root: "2031-01-01T00:00:00Z", .timestamp: "2030-01-03T00:00:00Z", .snapshot: "2030-02-01T00:00:00Z",
        .targets: "2031-01-01T00:00:00Z",
    ]
    var consistentSnapshot = true
    /// Whether timestamp and snapshot state lengths and hashes.
    var listsHashes = true
    var targets: [String: (bytes: [UInt8], custom: JSONValue?)] = ["a/1.bin": (Array("image".utf8), nil)]
    /// Of the top-level targets.
    var delegations: JSONValue?
    var delegated: [String: TestRole] = [:]
    /// Lets a test change the signed part of a role before it is signed.
    var edit: [Role: (JSONValue) -> JSONValue] = [:]

    let mirror = TestMirror()

    func part(_ role: Role, _ members: [(String, JSONValue)]) -> JSONValue {
        let common: [(String, JSONValue)] = [
            ("_type", .init(stringLiteral: role.rawValue)), ("spec_version", "1.0.34"),
            ("version", .integer(version[role]!)), ("expires", .init(stringLiteral: expires[role]!)),
        ]
        let part = JSONValue.members(common + members)
        return edit[role]?(part) ?? part
    }

    var rootPart: JSONValue {
        var keys: [String: JSONValue] = [:]
        for key in authority.values.flatMap(\.keys) { keys[key.keyID] = key.metadata }
        let roles = authority.map { role, authority in
            (
                role.rawValue,
                [
                    "keyids": .array(authority.keys.map { .init(stringLiteral: $0.keyID) }),
                    "threshold": .integer(Int64(authority.threshold)),
                ] as JSONValue
            )
        }
        return part(
            .root,
            [
                ("consistent_snapshot", .boolean(consistentSnapshot)), ("keys", .members(keys.map { ($0, $1) })),
                ("roles", .members(roles)),
            ])
    }

    var targetsPart: JSONValue {
        let listed = targets.map { path, target in
            let entry = JSONValue.members([
                ("length", .integer(Int64(target.bytes.count))),
                ("hashes", ["sha256": .init(stringLiteral: sha256(target.bytes))]),
            ])
            return (path, target.custom.map { entry.setting("custom", to: $0) } ?? entry)
        }
        return part(
            .targets, [("targets", .members(listed))] + (delegations.map { [("delegations", $0)] } ?? []))
    }

    func snapshotPart(_ targetsFile: [UInt8]) -> JSONValue {
        let others = delegated.map { ("\($0).json", listing($1.version, $1.file)) }
        return part(
            .snapshot, [("meta", .members([("targets.json", listing(version[.targets]!, targetsFile))] + others))])
    }

    func timestampPart(_ snapshotFile: [UInt8]) -> JSONValue {
        part(.timestamp, [("meta", ["snapshot.json": listing(version[.snapshot]!, snapshotFile)])])
    }

    private func listing(_ version: Int64, _ file: [UInt8]) -> JSONValue {
        let entry: JSONValue = ["version": .integer(version)]
        guard listsHashes else { return entry }
        return entry.setting("length", to: .integer(Int64(file.count)))
            .setting("hashes", to: ["sha256": .init(stringLiteral: sha256(file))])
    }

    func sign(_ part: JSONValue, as role: Role) -> [UInt8] { signed(part, by: authority[role]!.keys) }

    var rootFile: [UInt8] { sign(rootPart, as: .root) }

    /// Puts the current state on the mirror, as a maker's tool would.
    func publish() {
        mirror.put("\(version[.root]!).root.json", rootFile)
        publishTargetsAndBelow()
    }

    func publishTargetsAndBelow() {
        let targetsFile = sign(targetsPart, as: .targets)
        let snapshotFile = sign(snapshotPart(targetsFile), as: .snapshot)
        mirror.put(name(.targets), targetsFile)
        mirror.put(name(.snapshot), snapshotFile)
        mirror.put("timestamp.json", sign(timestampPart(snapshotFile), as: .timestamp))
        for (name, role) in delegated {
            mirror.put(consistentSnapshot ? "\(role.version).\(name).json" : "\(name).json", role.file)
            for (path, bytes) in role.targets { mirror.put(servedPath(path, bytes), bytes) }
        }
        for (path, target) in targets { mirror.put(servedPath(path, target.bytes), target.bytes) }
    }

    private func name(_ role: Role) -> String {
        consistentSnapshot ? "\(version[role]!).\(role.rawValue).json" : "\(role.rawValue).json"
    }

    func servedPath(_ path: String, _ bytes: [UInt8]) -> String {
        guard consistentSnapshot else { return path }
        var segments = path.split(separator: "/").map(String.init)
        segments[segments.count - 1] = "\(sha256(bytes)).\(segments[segments.count - 1])"
        return segments.joined(separator: "/")
    }

    /// Publishes a new root after a change, signed by these keys and by the new root's own.
    mutating func rotate(signedAlsoBy old: [SigningKey]) {
        version[.root]! += 1
        let own = authority[.root]!.keys
        let keys = own + old.filter { key in !own.contains { $0.keyID == key.keyID } }
        mirror.put("\(version[.root]!).root.json", signed(rootPart, by: keys))
    }

    /// A new version of everything but the root.
    mutating func release() {
        for role in [Role.timestamp, .snapshot, .targets] { version[role]! += 1 }
        publishTargetsAndBelow()
    }
}

func sha256(_ bytes: [UInt8]) -> String { Hexadecimal.encode(HashAlgorithm.sha256.hash(of: bytes)) }

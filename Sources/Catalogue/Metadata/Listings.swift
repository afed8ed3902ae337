/// What one metadata file says about another (specification 4.4).
public struct ListedFile: Hashable, Sendable {
    public let version: Int64
    /// In bytes, where it is given.
    public let length: Int?
    public let hashes: FileHashes?

    init(_ fields: Fields) throws(Distrust) {
        version = try fields.integer("version", atLeast: 1)
        length = fields.has("length") ? Int(try fields.integer("length", atLeast: 0)) : nil
        hashes = fields.has("hashes") ? try FileHashes(try fields.fields("hashes")) : nil
    }
}

/// Which snapshot is the newest (specification 4.6).
public struct Timestamp: SignedMetadata {
    static let role = Role.timestamp

    public let version: Int64
    public let expires: UTCTime
    public let snapshot: ListedFile

    init(signed: Fields) throws(Distrust) {
        version = try signed.integer("version", atLeast: 1)
        expires = try signed.time("expires")
        snapshot = try ListedFile(try signed.fields("meta").fields("snapshot.json"))
    }
}

/// Which versions of the targets metadata belong together (specification 4.4).
public struct Snapshot: SignedMetadata {
    static let role = Role.snapshot

    public let version: Int64
    public let expires: UTCTime
    /// By unversioned file name.
    public let files: [UTF8Text: ListedFile]

    init(signed: Fields) throws(Distrust) {
        version = try signed.integer("version", atLeast: 1)
        expires = try signed.time("expires")
        var files: [UTF8Text: ListedFile] = [:]
        for (name, fields) in try signed.fields("meta").objects() { files[name] = try ListedFile(fields) }
        self.files = files
    }
}

/// The files that the catalogue vouches for (specification 4.5).
public struct Targets: SignedMetadata {
    static let role = Role.targets

    public let version: Int64
    public let expires: UTCTime
    /// In the order of their paths' bytes.
    public let targets: [Target]
    let delegations: Delegations?

    init(signed: Fields) throws(Distrust) {
        version = try signed.integer("version", atLeast: 1)
        expires = try signed.time("expires")
        var targets: [Target] = []
        for (path, fields) in try signed.fields("targets").objects() {
            targets.append(try Target(path: path, fields))
        }
        self.targets = targets
        delegations = signed.has("delegations") ? try Delegations(try signed.fields("delegations")) : nil
    }

    func target(at path: UTF8Text) -> Target? {
        var range = targets.indices
        while let middle = range.isEmpty ? nil : range.lowerBound + range.count / 2 {
            if targets[middle].path == path { return targets[middle] }
            range = targets[middle].path < path ? middle + 1..<range.upperBound : range.lowerBound..<middle
        }
        return nil
    }
}

/// One file that the catalogue vouches for.
public struct Target: Hashable, Sendable {
    public let path: UTF8Text
    /// In bytes.
    public let length: Int
    public let hashes: FileHashes
    /// What the maker says about the file, as it was signed.
    public let custom: JSONValue?

    init(path: UTF8Text, _ fields: Fields) throws(Distrust) {
        self.path = path
        length = Int(try fields.integer("length", atLeast: 0))
        hashes = try FileHashes(try fields.fields("hashes"))
        custom = fields.object["custom"]
    }

    /// The lower-case hexadecimal SHA-256, where the catalogue lists one.
    public var sha256: String? { hashes.listed["sha256"]?.string }
}

/// The rules of the client's workflow (TUF specification 1.0.34, section 5): bytes and a time in, verified metadata or
/// a typed error out. No file, no network, no clock.
///
/// A step that needs an earlier one takes its result as a `Current` value, which only the check for expiry gives out.
struct TrustedCatalogue: Sendable {
    /// 5.1: the time at which the update began, used for every check for expiry.
    let now: UTCTime
    let freshness: Freshness
    let limits: CatalogueLimits

    private(set) var root: Root
    /// The last verified timestamp and snapshot, expired or superseded perhaps: what rollback is judged by.
    private(set) var timestamp: Timestamp?
    private(set) var snapshot: Snapshot?

    enum Freshness: Sendable {
        /// Everything has to be within its time.
        case required
        /// Offline: an expired timestamp or snapshot is used, and said to be expired. Never a root or targets.
        case offline
    }

    /// 5.2: starts from the root that is trusted here, whether it has expired or not.
    init(trustedRoot bytes: [UInt8], now: UTCTime, freshness: Freshness, limits: CatalogueLimits) throws(Distrust) {
        root = try Self.selfSignedRoot(bytes, limits: limits)
        self.now = now
        self.freshness = freshness
        self.limits = limits
    }

    /// A root signed by a threshold of its own root keys.
    static func selfSignedRoot(_ bytes: [UInt8], limits: CatalogueLimits) throws(Distrust) -> Root {
        let envelope = try envelope(bytes, length: nil, hashes: nil, role: .root, limits: limits)
        let root = try envelope.metadata(Root.self)
        try root.verify(envelope, as: .root)
        return root
    }

    // MARK: 5.3 Root

    /// The version that the next root has to have; `nil` past the last number there is.
    var nextRootVersion: Int64? {
        let (next, overflow) = root.version.addingReportingOverflow(1)
        return overflow ? nil : next
    }

    /// 5.3.4 to 5.3.8. The new root becomes the trusted one, be it expired: a later one may follow.
    mutating func update(root bytes: [UInt8]) throws(Distrust) {
        let envelope = try envelope(bytes, role: .root)
        let new = try envelope.metadata(Root.self)
        // 5.3.4: a threshold of the trusted root's keys and a threshold of the new root's.
        var signatures = VerifiedSignatures(of: envelope)
        try root.mandate(for: .root).verify(&signatures)
        try new.mandate(for: .root).verify(&signatures)
        // 5.3.5: no version is skipped and none comes back.
        guard new.version == nextRootVersion else {
            throw .wrongVersion(expected: nextRootVersion ?? root.version, actual: new.version)
        }
        root = new
    }

    /// 5.3.10: only the last root has to be within its time. 5.3.11 (recovery from fast-forward) needs no step of its
    /// own: files signed by keys that the last root no longer lists are not verified by it, and so judge no rollback.
    func currentRoot() throws(Expiry) -> Current<Root> {
        try Current(root, at: now, allowingExpired: false)
    }

    // MARK: 5.4 Timestamp

    /// 5.4.2 and 5.4.3.
    ///
    /// - Returns: whether the timestamp is new; one of the same version leaves the trusted one in place.
    @discardableResult
    mutating func update(timestamp bytes: [UInt8], under root: Current<Root>) throws(Distrust) -> Bool {
        let envelope = try envelope(bytes, role: .timestamp)
        try root.metadata.verify(envelope, as: .timestamp)
        let new = try envelope.metadata(Timestamp.self)
        if let trusted = timestamp {
            // 5.4.3.1
            guard new.version >= trusted.version else {
                throw .rollback(trusted: trusted.version, actual: new.version)
            }
            guard new.version > trusted.version else { return false }
            // 5.4.3.2
            guard new.snapshot.version >= trusted.snapshot.version else {
                throw .rollbackListed(
                    file: UTF8Text(Role.snapshot.fileName), trusted: trusted.snapshot.version,
                    actual: new.snapshot.version)
            }
        }
        timestamp = new
        return true
    }

    /// 5.4.4; `nil` when there is no timestamp yet.
    func currentTimestamp() throws(Expiry) -> Current<Timestamp>? {
        guard let timestamp else { return nil }
        return try Current(timestamp, at: now, allowingExpired: freshness == .offline)
    }

    // MARK: 5.5 Snapshot

    /// 5.5.2 to 5.5.5.
    ///
    /// - Parameter isLocal: the copy of this machine, which is loaded without its hash: it may be an older one, by which
    ///   rollback is judged.
    mutating func update(
        snapshot bytes: [UInt8], isLocal: Bool, under root: Current<Root>, listedBy timestamp: Current<Timestamp>
    ) throws(Distrust) {
        let listed = timestamp.metadata.snapshot
        // 5.5.2
        let envelope = try envelope(
            bytes, length: isLocal ? nil : listed.length, hashes: isLocal ? nil : listed.hashes, role: .snapshot,
            limits: limits)
        // 5.5.3
        try root.metadata.verify(envelope, as: .snapshot)
        let new = try envelope.metadata(Snapshot.self)
        // 5.5.4, for what was fetched under that version; the local copy's version is judged by `currentSnapshot`.
        guard isLocal || new.version == listed.version else {
            throw .wrongVersion(expected: listed.version, actual: new.version)
        }
        // 5.5.5
        for (name, trusted) in snapshot?.files ?? [:] {
            guard let file = new.files[name] else { throw .vanishedFromSnapshot(file: name) }
            guard file.version >= trusted.version else {
                throw .rollbackListed(file: name, trusted: trusted.version, actual: file.version)
            }
        }
        snapshot = new
    }

    /// 5.5.4 and 5.5.6; `nil` when there is no snapshot yet or it is not the one that the timestamp lists.
    func currentSnapshot(listedBy timestamp: Current<Timestamp>) throws(Expiry) -> Current<Snapshot>? {
        guard let snapshot, snapshot.version == timestamp.metadata.snapshot.version else { return nil }
        return try Current(snapshot, at: now, allowingExpired: freshness == .offline)
    }

    // MARK: 5.6 Targets

    /// What the snapshot says about a targets role.
    func listing(of role: RoleName, by snapshot: Current<Snapshot>) throws(Distrust) -> ListedFile {
        let name = UTF8Text(role.fileName)
        guard let listed = snapshot.metadata.files[name] else { throw .missingFromSnapshot(file: name) }
        return listed
    }

    /// 5.6.2 to 5.6.4, for a fetched copy as for the local one, and for a delegated role as for the one at the top.
    func targets(
        _ bytes: [UInt8], under mandate: Mandate, listedBy snapshot: Current<Snapshot>
    ) throws(Distrust) -> Targets {
        let listed = try listing(of: mandate.role, by: snapshot)
        // 5.6.2
        let envelope = try envelope(
            bytes, length: listed.length, hashes: listed.hashes, role: .targets, limits: limits)
        // 5.6.3
        try mandate.verify(envelope)
        let targets = try envelope.metadata(Targets.self)
        // 5.6.4
        guard targets.version == listed.version else {
            throw .wrongVersion(expected: listed.version, actual: targets.version)
        }
        return targets
    }

    /// 5.6.5
    func current(_ targets: Targets, of role: RoleName) throws(Expiry) -> Current<Targets> {
        try Current(targets, of: role, at: now, allowingExpired: false)
    }

    // MARK: Files

    private func envelope(_ bytes: [UInt8], role: Role) throws(Distrust) -> Envelope {
        try envelope(bytes, length: nil, hashes: nil, role: role, limits: limits)
    }

    private func envelope(
        _ bytes: [UInt8], length: Int?, hashes: FileHashes?, role: Role, limits: CatalogueLimits
    ) throws(Distrust) -> Envelope {
        try Self.envelope(bytes, length: length, hashes: hashes, role: role, limits: limits)
    }

    private static func envelope(
        _ bytes: [UInt8], length: Int?, hashes: FileHashes?, role: Role, limits: CatalogueLimits
    ) throws(Distrust) -> Envelope {
        // Said first: a page has the wrong length and hash as well, and those say less.
        guard !Envelope.isMarkup(bytes) else { throw .webPage }
        var check = try FileCheck(length: length, limit: limits.bytes(of: .topLevel(role)), hashes: hashes)
        _ = bytes.withUnsafeBytes { check.update($0) }
        try check.finish()
        return try Envelope(bytes, limits: limits.json)
    }
}

/// Verified metadata within its time, or, where that is allowed, known to be past it.
struct Current<Metadata: SignedMetadata>: Sendable {
    let metadata: Metadata
    /// Since when it has been expired.
    let staleSince: UTCTime?

    /// Expired is what is not later than the time of the update.
    fileprivate init(
        _ metadata: Metadata, of role: RoleName = .topLevel(Metadata.role), at now: UTCTime, allowingExpired: Bool
    ) throws(Expiry) {
        let isExpired = metadata.expires <= now
        guard !isExpired || allowingExpired else {
            throw Expiry(role: role, version: metadata.version, expired: metadata.expires, now: now)
        }
        self.metadata = metadata
        staleSince = isExpired ? metadata.expires : nil
    }
}

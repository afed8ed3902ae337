public import Catalogue

/// What the person allowed beyond the ordinary. There is nothing that allows everything.
public struct OfferPolicy: Hashable, Sendable {
    public var allowsOlder: Bool
    public var allowsReinstall: Bool
    public var includesCandidates: Bool

    public init(allowsOlder: Bool = false, allowsReinstall: Bool = false, includesCandidates: Bool = false) {
        self.allowsOlder = allowsOlder
        self.allowsReinstall = allowsReinstall
        self.includesCandidates = includesCandidates
    }

    /// The one permission that would lift a refusal.
    public enum Permission: Hashable, CaseIterable, Sendable {
        case older
        case reinstall
        case candidates
    }
}

/// Why this version and no other.
public enum OfferReason: Hashable, Sendable {
    /// The newest of the channels asked for, and newer than what runs.
    case newer(than: SemanticVersion)
    /// The newest of the channels asked for; what runs is not known.
    case newest
    /// Older than what runs, which was allowed.
    case older(than: SemanticVersion)
    /// What runs already, which was allowed.
    case reinstall
    /// What runs, or what is offered, has no semantic version: which is newer cannot be told, and it was allowed.
    case unordered(running: String)
}

/// Why nothing is offered. Each names the permission that would lift it, or none does.
public enum OfferRefusal: Error, Hashable, Sendable {
    case older(String, running: SemanticVersion)
    case same(SemanticVersion)
    case candidate(SemanticVersion)
    /// What runs, or what is offered, has no semantic version.
    case unordered(offered: String, running: String)
    /// The family has only release candidates.
    case onlyCandidates(newest: SemanticVersion)
    case noSuchVersion(SemanticVersion, family: String)
    /// `others` are the families that there are releases for, sorted.
    case noReleases(family: String, others: [String])

    public static func nothing(for family: String, among releases: [Release]) -> OfferRefusal {
        .noReleases(family: family, others: Set(releases.map(\.family)).sorted())
    }

    public var liftedBy: OfferPolicy.Permission? {
        switch self {
        case .older, .unordered: .older
        case .same: .reinstall
        case .candidate, .onlyCandidates: .candidates
        case .noSuchVersion, .noReleases: nil
        }
    }
}

/// Which release is for these ears.
public enum Offer: Hashable, Sendable {
    case offered(Release, OfferReason)
    /// Nothing newer in the channels asked for. `newest` is the newest of them; it may be older than what runs.
    case upToDate(running: SemanticVersion, newest: Release)
    case refused(OfferRefusal)
}

extension Offer {
    /// The newest release of the channels asked for, where it is newer than what runs.
    ///
    /// - Parameter running: the running firmware's version as the ears report it; nil where it is not known.
    public static func newest(
        among releases: [Release], family: String, running: String?, policy: OfferPolicy
    ) -> Offer {
        let ours = releases.filter { $0.family == family }.sorted(by: precedes)
        guard let last = ours.last else { return .refused(.nothing(for: family, among: releases)) }
        guard let newest = ours.last(where: { policy.includes($0.channel) }) else {
            return .refused(.onlyCandidates(newest: last.version))
        }
        guard let running else { return .offered(newest, .newest) }
        switch OfferReason.comparing(newest.version.description, running: running, policy: policy) {
        case .success(let reason): return .offered(newest, reason)
        case .failure(.older(_, let version)), .failure(.same(let version)):
            return .upToDate(running: version, newest: newest)
        case .failure(let refusal): return .refused(refusal)
        }
    }

    /// One release by its version.
    public static func version(
        _ version: SemanticVersion, among releases: [Release], family: String, running: String?, policy: OfferPolicy
    ) -> Offer {
        let ours = releases.filter { $0.family == family }.sorted(by: precedes)
        guard !ours.isEmpty else { return .refused(.nothing(for: family, among: releases)) }
        guard let release = ours.last(where: { $0.version == version }) else {
            return .refused(.noSuchVersion(version, family: family))
        }
        guard policy.includes(release.channel) else { return .refused(.candidate(version)) }
        guard let running else { return .offered(release, .newest) }
        switch OfferReason.comparing(version.description, running: running, policy: policy) {
        case .success(let reason): return .offered(release, reason)
        case .failure(let refusal): return .refused(refusal)
        }
    }

    /// A total order: by version, of one version a stable release is above a candidate, of one channel the path decides.
    private static func precedes(_ one: Release, _ other: Release) -> Bool {
        if one.version != other.version { return one.version < other.version }
        if one.channel != other.channel { return one.channel == .candidate }
        return one.target.path.string < other.target.path.string
    }
}

extension OfferReason {
    /// Why a version may go on ears that run another, by their versions alone: a local file's too.
    ///
    /// - Parameter running: nil where nothing runs, in recovery: there is nothing to be older than.
    public static func comparing(
        _ offered: String, running: String?, policy: OfferPolicy
    ) -> Result<OfferReason, OfferRefusal> {
        guard let running else {
            guard SemanticVersion(offered) == nil, !policy.allowsOlder else { return .success(.newest) }
            return .failure(.unordered(offered: offered, running: ""))
        }
        guard let new = SemanticVersion(offered), let old = SemanticVersion(running) else {
            return policy.allowsOlder
                ? .success(.unordered(running: running)) : .failure(.unordered(offered: offered, running: running))
        }
        if new == old { return policy.allowsReinstall ? .success(.reinstall) : .failure(.same(new)) }
        if new > old { return .success(.newer(than: old)) }
        return policy.allowsOlder ? .success(.older(than: old)) : .failure(.older(offered, running: old))
    }
}

extension OfferPolicy {
    func includes(_ channel: Release.Channel) -> Bool { channel == .stable || includesCandidates }
}

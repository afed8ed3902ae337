/// Every bound that the catalogue's client puts on what comes from outside.
public struct CatalogueLimits: Equatable, Sendable {
    // Bytes of a file whose length no trusted file states. A stated length takes its place where it is smaller.
    public var rootBytes = 512_000
    public var timestampBytes = 16_384
    public var snapshotBytes = 2_000_000
    public var targetsBytes = 5_000_000
    /// Bytes of one target, whatever length is listed for it.
    public var targetBytes = 64 * 1024 * 1024
    /// Roots that one refresh goes through, one after another.
    public var rootRotations = 256
    /// Delegated roles that are asked about one target.
    public var delegations = 32
    /// Delegated roles that are gone through for a list of releases, and targets that they may list altogether.
    public var listedRoles = 256
    public var listedTargets = 50_000
    public var json = JSONLimits()

    /// Until a connection stands.
    public var connectTime: Duration = .seconds(10)
    /// Without a byte of reply.
    public var stallTime: Duration = .seconds(20)
    /// For one metadata file.
    public var metadataTime: Duration = .seconds(60)
    /// After which a refresh, or the search for a target, fetches no further metadata file.
    public var refreshTime: Duration = .seconds(300)
    /// For one target.
    public var targetTime: Duration = .seconds(1800)
    /// Requests for one file altogether, where the ones before were answered with nothing that decides.
    public var attempts = 3
    /// Before the second request; doubled before each further one.
    public var attemptPause: Duration = .milliseconds(300)
    /// For another process to give the local state free.
    public var lockTime: Duration = .seconds(5)

    // What the cache of targets keeps: past one of these, the files that were used longest ago are removed.
    public var cacheBytes = 512 * 1024 * 1024
    public var cacheFiles = 64

    /// Bytes of a delegated role's name: encoded (three for one) it is a file name of at most 255.
    public static let roleNameBytes = 64
    /// Bytes of a delegated pattern, and of a path that is held against one.
    public static let pathBytes = 1024

    public init() {}

    /// How long a refresh, or the search for a target, takes at most where the disk does not keep it waiting: the local
    /// state is given free, a last file is begun when ``refreshTime`` is just not over, and every attempt at it is the longest.
    public var longestRefresh: Duration {
        let pauses = (1..<max(attempts, 1)).reduce((sum: Duration.zero, next: attemptPause)) { pauses, _ in
            (pauses.sum + pauses.next, pauses.next * 2)
        }
        return lockTime + refreshTime + metadataTime * attempts + pauses.sum
    }

    func bytes(of role: RoleName) -> Int {
        switch role {
        case .topLevel(.root): rootBytes
        case .topLevel(.timestamp): timestampBytes
        case .topLevel(.snapshot): snapshotBytes
        case .topLevel(.targets), .delegated: targetsBytes
        }
    }
}

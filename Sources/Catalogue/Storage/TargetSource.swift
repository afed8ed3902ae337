public import DurableFiles
import Glibc

/// Verified targets of one refreshed catalogue, from the cache or else from the mirror (specification 5.7).
public struct TargetSource: Sendable {
    private let contents: CatalogueContents
    private let mirror: (any Mirror)?
    private let cache: TargetCache
    private let limits: CatalogueLimits

    public init(
        _ contents: CatalogueContents, mirror: any Mirror, cache: TargetCache, mode: CatalogueUpdater.Mode = .online,
        limits: CatalogueLimits = CatalogueLimits()
    ) {
        self.contents = contents
        self.mirror = mode == .online || mirror.isAskedOffline ? mirror : nil
        self.cache = cache
        self.limits = limits
    }

    /// The target's file, open and verified: its bytes are the target's as long as nobody writes to it.
    /// What the cache holds is not fetched again; what is fetched is kept there.
    ///
    /// - Parameter progress: is told the bytes received so far, on any thread; not called for a cached target.
    public func open(
        _ target: Target, progress: (@Sendable (Int) -> Void)? = nil
    ) async throws(CatalogueError) -> ReadableFile {
        if let cached = try cache.open(target) {
            try await contents.settled()
            return cached
        }
        try await fetch(target, progress: progress)
        // It was verified on its way there: what is wrong now is this machine's doing.
        guard let fetched = try cache.open(target) else {
            throw .localState(.failed(.read, path: try cache.path(of: target), errno: EIO))
        }
        return fetched
    }

    /// The path of the cache's file that holds the verified target, fetched if it is not there.
    public func file(of target: Target) async throws(CatalogueError) -> String {
        if try cache.open(target) == nil {
            try await fetch(target, progress: nil)
        } else {
            try await contents.settled()
        }
        return try cache.path(of: target)
    }

    private func fetch(_ target: Target, progress: (@Sendable (Int) -> Void)?) async throws(CatalogueError) {
        let file = target.path.string
        guard let mirror else { throw .notHere(file: file) }
        let path = try servedPath(of: target)
        let incoming = try IncomingTarget(
            file: try cache.path(of: target), target: target, limit: limits.targetBytes)
        try await mirror.besideRequests { () throws(CatalogueError) in
            do throws(MirrorError) {
                try await mirror.target(at: path, limit: target.length) { bytes in
                    guard let received = incoming.receive(bytes) else { return false }
                    progress?(received)
                    return true
                }
            } catch {
                throw incoming.fault.map { .localState($0) } ?? CatalogueError(error, file: file)
            }
            try await contents.settled()
            try incoming.finish(name: file)
        }
        cache.makeRoom(beside: target)
    }

    private func servedPath(of target: Target) throws(CatalogueError) -> [UTF8Text] {
        do { return try target.servedPath(consistentSnapshot: contents.root.consistentSnapshot) } catch {
            throw .untrusted(file: target.path.string, error)
        }
    }
}

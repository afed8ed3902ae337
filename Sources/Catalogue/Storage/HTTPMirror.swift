public import Download
import Synchronization

/// A mirror on a web server, laid out as tuf-on-ci publishes it: `<address>/metadata/…` and `<address>/targets/…`.
public struct HTTPMirror: Mirror {
    public let isAskedOffline = false
    private let metadata: PermittedURL
    private let targets: PermittedURL
    private let limits: CatalogueLimits
    private let session: DownloadSession
    private let pause: @Sendable (Duration) async throws -> Void

    public init(
        address: PermittedURL, limits: CatalogueLimits = CatalogueLimits(),
        session: DownloadSession = DownloadSession(),
        pause: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) throws(DownloadError) {
        self.init(
            metadata: try address.appending(path: [Array("metadata".utf8)]),
            targets: try address.appending(path: [Array("targets".utf8)]), limits: limits, session: session,
            pause: pause)
    }

    /// Metadata and targets below addresses of their own.
    public init(
        metadata: PermittedURL, targets: PermittedURL, limits: CatalogueLimits = CatalogueLimits(),
        session: DownloadSession = DownloadSession(),
        pause: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) {
        self.metadata = metadata
        self.targets = targets
        self.limits = limits
        self.session = session
        self.pause = pause
    }

    public func metadata(named name: String, limit: Int) async throws(MirrorError) -> [UInt8] {
        try await attempting { () throws(DownloadError) in
            let url = try metadata.appending(path: [Array(name.utf8)])
            return try await session.get(url, limits: transferLimits(limit, limits.metadataTime))
        }
    }

    public func target(
        at path: [UTF8Text], limit: Int, receive: @escaping @Sendable (UnsafeRawBufferPointer) -> Bool
    ) async throws(MirrorError) {
        // Once the receiver has bytes it cannot be given them again.
        let isBegun = Atomic(false)
        try await attempting(while: { !isBegun.load(ordering: .acquiring) }) { () throws(DownloadError) in
            let url = try targets.appending(path: path.map(\.bytes))
            try await session.get(url, limits: transferLimits(limit, limits.targetTime)) { bytes in
                isBegun.store(true, ordering: .releasing)
                return receive(bytes)
            }
        }
    }

    public func besideRequests<Value>(
        _ work: () async throws(CatalogueError) -> Value
    ) async throws(CatalogueError) -> Value {
        try await session.besideTransfers(work)
    }

    /// Asks again where nothing was decided: neither by the server nor by a limit of ours.
    private func attempting<Value>(
        while isAllowed: () -> Bool = { true }, _ request: () async throws(DownloadError) -> Value
    ) async throws(MirrorError) -> Value {
        var (attempt, wait) = (1, limits.attemptPause)
        while true {
            do throws(DownloadError) { return try await request() } catch {
                guard error.decidesNothing, attempt < limits.attempts, isAllowed() else { throw MirrorError(error) }
            }
            do { try await pause(wait) } catch { throw .cancelled }
            (attempt, wait) = (attempt + 1, wait * 2)
        }
    }

    private func transferLimits(_ maximumBytes: Int, _ totalTime: Duration) -> TransferLimits {
        TransferLimits(
            maximumBytes: maximumBytes, connectTime: limits.connectTime, stallTime: limits.stallTime,
            totalTime: totalTime)
    }
}

extension MirrorError {
    fileprivate init(_ error: DownloadError) {
        self =
            switch error {
            case .httpStatus(404): .notFound
            case .tooLarge(let limit): .tooLarge(limit: limit)
            case .webPage: .webPage
            case .stoppedByReceiver: .stopped
            case .cancelled: .cancelled
            default: .transfer(error)
            }
    }
}

public import Download

/// A mirror on a web server, laid out as tuf-on-ci publishes it: `<address>/metadata/…` and `<address>/targets/…`.
public struct HTTPMirror: Mirror {
    public let usesNetwork = true
    private let metadata: PermittedURL
    private let targets: PermittedURL
    private let limits: CatalogueLimits
    private let session: DownloadSession

    public init(
        address: PermittedURL, limits: CatalogueLimits = CatalogueLimits(), session: DownloadSession = DownloadSession()
    ) throws(DownloadError) {
        self.init(
            metadata: try address.appending(path: [Array("metadata".utf8)]),
            targets: try address.appending(path: [Array("targets".utf8)]), limits: limits, session: session)
    }

    /// Metadata and targets below addresses of their own.
    public init(
        metadata: PermittedURL, targets: PermittedURL, limits: CatalogueLimits = CatalogueLimits(),
        session: DownloadSession = DownloadSession()
    ) {
        self.metadata = metadata
        self.targets = targets
        self.limits = limits
        self.session = session
    }

    public func metadata(named name: String, limit: Int) async throws(MirrorError) -> [UInt8] {
        do {
            let url = try metadata.appending(path: [Array(name.utf8)])
            return try await session.get(url, limits: transferLimits(limit, limits.metadataTime))
        } catch {
            throw MirrorError(error)
        }
    }

    public func target(
        at path: [UTF8Text], limit: Int, receive: @escaping @Sendable (UnsafeRawBufferPointer) -> Bool
    ) async throws(MirrorError) {
        do {
            let url = try targets.appending(path: path.map(\.bytes))
            try await session.get(url, limits: transferLimits(limit, limits.targetTime), receive: receive)
        } catch {
            throw MirrorError(error)
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
            case .stoppedByReceiver: .stopped
            case .cancelled: .cancelled
            default: .transfer(error)
            }
    }
}

import Catalogue
import Download
import Synchronization

/// A mirror whose addresses are judged with the first request and not before: libcurl, which is needed for that, is loaded
/// while the trusted root is looked at.
final class LateMirror: Mirror {
    let isAskedOffline = false
    private let metadata: String
    private let targets: String
    private let session: DownloadSession
    private let judged = Mutex<HTTPMirror?>(nil)

    init(metadata: String, targets: String, session: DownloadSession) {
        self.metadata = metadata
        self.targets = targets
        self.session = session
    }

    func metadata(named name: String, limit: Int) async throws(MirrorError) -> [UInt8] {
        try await mirror().metadata(named: name, limit: limit)
    }

    func target(
        at path: [UTF8Text], limit: Int, receive: @escaping @Sendable (UnsafeRawBufferPointer) -> Bool
    ) async throws(MirrorError) {
        try await mirror().target(at: path, limit: limit, receive: receive)
    }

    func besideRequests<Value>(
        _ work: () async throws(CatalogueError) -> Value
    ) async throws(CatalogueError) -> Value {
        try await session.besideTransfers(work)
    }

    private func mirror() throws(MirrorError) -> HTTPMirror {
        if let mirror = judged.withLock(\.self) { return mirror }
        do {
            let mirror = HTTPMirror(
                metadata: try PermittedURL(metadata), targets: try PermittedURL(targets), session: session)
            judged.withLock { $0 = mirror }
            return mirror
        } catch {
            throw .transfer(error)
        }
    }
}

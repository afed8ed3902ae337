import Catalogue
import Download

/// A mirror whose addresses are judged with each request and not before: libcurl, which is needed for that, is loaded
/// while the trusted root is looked at.
struct LateMirror: Mirror {
    let usesNetwork = true
    private let metadata: String
    private let targets: String
    private let session = DownloadSession()

    init(metadata: String, targets: String) {
        self.metadata = metadata
        self.targets = targets
    }

    func metadata(named name: String, limit: Int) async throws(MirrorError) -> [UInt8] {
        try await mirror().metadata(named: name, limit: limit)
    }

    func target(
        at path: [UTF8Text], limit: Int, receive: @escaping @Sendable (UnsafeRawBufferPointer) -> Bool
    ) async throws(MirrorError) {
        try await mirror().target(at: path, limit: limit, receive: receive)
    }

    private func mirror() throws(MirrorError) -> HTTPMirror {
        do {
            return HTTPMirror(
                metadata: try PermittedURL(metadata), targets: try PermittedURL(targets), session: session)
        } catch {
            throw .transfer(error)
        }
    }
}

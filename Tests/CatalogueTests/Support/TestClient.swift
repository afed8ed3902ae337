import DurableFiles
import TestSupport

@testable import Catalogue

/// A client with a folder of its own that trusts the repository's first root.
struct TestClient {
    let folder: TemporaryFolder
    var mirror: any Mirror
    var limits = CatalogueLimits()
    var now = TestRepository.now

    var store: CatalogueStore { CatalogueStore(folder: folder.path + "/metadata", limits: limits) }
    var cache: TargetCache { TargetCache(folder: folder.path + "/targets", limits: limits) }

    /// A client that trusts the repository's root as it stands, with the repository on its mirror.
    init(_ repository: TestRepository) async throws {
        try await self.init(trusting: repository.rootFile, mirror: repository.mirror)
        repository.publish()
    }

    init(trusting root: [UInt8], mirror: any Mirror) async throws {
        folder = try TemporaryFolder()
        self.mirror = mirror
        try await store.trust(try TrustedRoot(root))
    }

    @discardableResult
    func refresh(_ mode: CatalogueUpdater.Mode = .online) async throws(CatalogueError) -> CatalogueContents {
        let now = now
        return try await CatalogueUpdater(store: store, mirror: mirror, limits: limits, now: { now }).refresh(mode)
    }

    func refreshUnsettled() async throws(CatalogueError) -> CatalogueContents {
        let now = now
        return try await CatalogueUpdater(store: store, mirror: mirror, limits: limits, now: { now }).refreshUnsettled()
    }

    func failure(_ mode: CatalogueUpdater.Mode = .online) async -> CatalogueError? {
        do {
            try await refresh(mode)
            return nil
        } catch {
            return error
        }
    }

    /// A file of the local state; empty where there is none.
    func stored(_ role: RoleName) -> [UInt8] {
        (try? ReadableFile.contents(of: "\(store.folder)/\(role.encodedFileName)", limit: 10_000_000)) ?? []
    }

    /// Looks a target up as a refresh and a search do.
    func target(at path: UTF8Text, _ mode: CatalogueUpdater.Mode = .online) async throws(CatalogueError) -> Target {
        let now = now
        let updater = CatalogueUpdater(store: store, mirror: mirror, limits: limits, now: { now })
        return try await updater.target(at: path, in: try await updater.refresh(mode))
    }

    func failure(at path: UTF8Text, _ mode: CatalogueUpdater.Mode = .online) async -> CatalogueError? {
        do {
            _ = try await target(at: path, mode)
            return nil
        } catch {
            return error
        }
    }
}

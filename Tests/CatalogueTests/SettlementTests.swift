import DurableFiles
import Glibc
import TestSupport
import Testing

@testable import Catalogue

/// What may be done before the files of a refresh are on the disk, and what may not.
@Suite struct SettlementTests {
    /// A client whose refresh verifies everything and cannot write the last of its files.
    private struct Fixture {
        let client: TestClient
        let contents: CatalogueContents
        let repository = TestRepository()
        let fault: CatalogueError

        init() async throws {
            client = try await TestClient(repository)
            let path = client.store.folder + "/last-refresh"
            #expect(mkdir(path, 0o700) == 0)
            fault = .localState(.failed(.rename, path: path, errno: EISDIR))
            contents = try await client.refreshUnsettled()
        }

        var updater: CatalogueUpdater {
            CatalogueUpdater(store: client.store, mirror: client.mirror, now: { TestRepository.now })
        }
        var source: TargetSource { TargetSource(contents, mirror: client.mirror, cache: client.cache) }

        func target() throws -> Target { try contents.target(at: "a/1.bin") }

        func cachedFile() throws -> String { try client.cache.path(of: try target()) }
    }

    @Test func `a refresh that cannot write fails, whatever it verified`() async throws {
        let fixture = try await Fixture()
        #expect(await fixture.client.failure() == fixture.fault)
    }

    @Test func `no release is listed by what a power cut could take back`() async throws {
        let fixture = try await Fixture()
        await #expect(throws: fixture.fault) {
            try await fixture.updater.listing(of: fixture.contents, family: nil)
        }
    }

    @Test func `no target is handed out by what a power cut could take back, and none is left`() async throws {
        let fixture = try await Fixture()
        await #expect(throws: fixture.fault) { try await fixture.source.file(of: try fixture.target()) }
        #expect(try access(fixture.cachedFile(), F_OK) != 0)
        #expect(
            fixture.repository.mirror.takeRequests().last
                == fixture.repository.servedPath("a/1.bin", Array("image".utf8)))
    }

    @Test func `a cached target is not handed out either`() async throws {
        let fixture = try await Fixture()
        try makeFolderAndFile(at: fixture.cachedFile(), Array("image".utf8))
        #expect(try fixture.client.cache.open(try fixture.target()) != nil)
        await #expect(throws: fixture.fault) { try await fixture.source.file(of: try fixture.target()) }
        await #expect(throws: fixture.fault) { _ = try await fixture.source.open(try fixture.target()) }
    }

    @Test func `a role below is not asked for before`() async throws {
        let fixture = try await Fixture()
        _ = fixture.repository.mirror.takeRequests()
        await #expect(throws: fixture.fault) { try await fixture.updater.target(at: "b/2.bin", in: fixture.contents) }
        #expect(fixture.repository.mirror.takeRequests().isEmpty)
    }

    @Test func `once settled the files are there and the lock is free, though the contents live on`() async throws {
        var client = try await TestClient(TestRepository())
        client.limits.lockTime = .zero
        let contents = try await client.refreshUnsettled()
        try await contents.settled()
        #expect(!client.stored(.targets).isEmpty)
        _ = try await client.store.exclusiveAccess()
        withExtendedLifetime(contents) {}
    }

    private func makeFolderAndFile(at path: String, _ bytes: [UInt8]) throws {
        try DurableFiles.makeFolder(parentFolder(of: path))
        try DurableFile.replace(path, with: bytes)
    }
}

import TestSupport
import Testing

@testable import Catalogue

/// Two commands at once on one folder.
@Suite struct OtherProcessTests {
    @Test func `a root that the other one was rotated to is not put back by one that begins`() async throws {
        var repository = TestRepository()
        let old = try TrustedRoot(repository.rootFile)
        repository.rotate(signedAlsoBy: [])
        let new = repository.mirror.file("2.root.json")
        let folder = try TemporaryFolder()
        let store = CatalogueStore(folder: folder.path)
        let held = try await store.exclusiveAccess()
        // It has found no root, and waits for the lock.
        let begins = Task.immediate { try await store.begin(from: old) }
        held.write(new, as: .root)
        try await held.settle()
        try await begins.value
        #expect(try store.trustedRoot().bytes == new)
    }

    @Test func `who begins starts from its root, and from what it was rotated to later`() async throws {
        var repository = TestRepository()
        let old = try TrustedRoot(repository.rootFile)
        let folder = try TemporaryFolder()
        let store = CatalogueStore(folder: folder.path)
        try await store.begin(from: old)
        #expect(try store.trustedRoot().bytes == old.bytes)
        repository.rotate(signedAlsoBy: [])
        let new = try TrustedRoot(repository.mirror.file("2.root.json"))
        try await store.trust(new)
        try await store.begin(from: old)
        #expect(try store.trustedRoot().bytes == new.bytes)
    }

    @Test func `a damaged root gives way to the one that is trusted`() async throws {
        let root = try TrustedRoot(TestRepository().rootFile)
        let folder = try TemporaryFolder()
        try folder.write("{", to: "root.json")
        let store = CatalogueStore(folder: folder.path)
        try await store.begin(from: root)
        #expect(try store.trustedRoot().bytes == root.bytes)
    }

    /// A client whose refresh found the first version of a role, before another one kept the second.
    private struct Overtaken {
        let client: TestClient
        let contents: CatalogueContents
        let updater: CatalogueUpdater
        let role = RoleName.delegated("A")
        let newest: [UInt8]

        init() async throws {
            let keys = [SigningKey(61)]
            var repository = TestRepository()
            repository.delegations = delegations(TestDelegation(name: "A", keys: keys, paths: ["s3/*/*"]))
            repository.delegated = ["A": TestRole(keys: keys, targets: ["s3/2.0.0/espurr.bin": [1]])]
            client = try await TestClient(repository)
            updater = CatalogueUpdater(store: client.store, mirror: client.mirror, now: { TestRepository.now })
            contents = try await client.refresh()
            repository.delegated["A"]?.version = 2
            repository.delegated["A"]?.targets["s3/2.0.0/espurr.bin"] = [2, 2]
            repository.release()
            newest = try #require(repository.delegated["A"]).file
            _ = try await client.target(at: "s3/2.0.0/espurr.bin")
            #expect(client.stored(role) == newest)
        }
    }

    @Test func `an older role is not put in the place of a newer one, and is used all the same`() async throws {
        let overtaken = try await Overtaken()
        #expect(try await overtaken.updater.target(at: "s3/2.0.0/espurr.bin", in: overtaken.contents).length == 1)
        #expect(overtaken.client.stored(overtaken.role) == overtaken.newest)
        #expect(try await overtaken.client.target(at: "s3/2.0.0/espurr.bin", .offline).length == 2)
    }

    @Test func `nor by a list of releases`() async throws {
        let overtaken = try await Overtaken()
        _ = try await overtaken.updater.listing(of: overtaken.contents, family: nil)
        #expect(overtaken.client.stored(overtaken.role) == overtaken.newest)
    }
}

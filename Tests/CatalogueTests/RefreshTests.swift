import Download
import DurableFiles
import TestSupport
import Testing

@testable import Catalogue

/// Which requests are made, what is kept and what is found.
@Suite struct RefreshTests {
    @Test func `the first refresh asks for each file once, in order, and keeps them as received`() async throws {
        let repository = TestRepository()
        let client = try await TestClient(repository)
        let contents = try await client.refresh()
        #expect(
            repository.mirror.takeRequests() == ["2.root.json", "timestamp.json", "1.snapshot.json", "1.targets.json"])
        #expect(contents.targets.targets.map(\.path) == ["a/1.bin"])
        #expect(contents.staleSince == nil)
        #expect(client.stored(.root) == repository.rootFile)
        #expect(client.stored(.timestamp) == repository.mirror.file("timestamp.json"))
        #expect(client.stored(.snapshot) == repository.mirror.file("1.snapshot.json"))
        #expect(client.stored(.targets) == repository.mirror.file("1.targets.json"))
    }

    @Test func `an unchanged catalogue costs two requests`() async throws {
        let repository = TestRepository()
        let client = try await TestClient(repository)
        try await client.refresh()
        _ = repository.mirror.takeRequests()
        try await client.refresh()
        #expect(repository.mirror.takeRequests() == ["2.root.json", "timestamp.json"])
    }

    @Test func `a new version of everything is fetched and kept`() async throws {
        var repository = TestRepository()
        let client = try await TestClient(repository)
        try await client.refresh()
        _ = repository.mirror.takeRequests()
        repository.targets["b/2.bin"] = ([1, 2], nil)
        repository.release()
        let contents = try await client.refresh()
        #expect(contents.targets.targets.map(\.path) == ["a/1.bin", "b/2.bin"])
        #expect(
            repository.mirror.takeRequests() == ["2.root.json", "timestamp.json", "2.snapshot.json", "2.targets.json"])
        #expect(client.stored(.targets) == repository.mirror.file("2.targets.json"))
    }

    @Test func `a new timestamp alone brings nothing else`() async throws {
        var repository = TestRepository()
        let client = try await TestClient(repository)
        try await client.refresh()
        _ = repository.mirror.takeRequests()
        repository.version[.timestamp] = 2
        repository.publish()
        #expect(try await client.refresh().timestamp.version == 2)
        #expect(repository.mirror.takeRequests() == ["2.root.json", "timestamp.json"])
    }

    @Test func `without lengths and hashes the versions alone are held to`() async throws {
        var repository = TestRepository()
        repository.listsHashes = false
        let client = try await TestClient(repository)
        #expect(try await client.refresh().targets.version == 1)
    }

    @Test func `a repository without consistent snapshots is asked for unversioned names`() async throws {
        var repository = TestRepository()
        repository.consistentSnapshot = false
        let client = try await TestClient(repository)
        let contents = try await client.refresh()
        let target = try contents.target(at: "a/1.bin")
        let source = TargetSource(contents, mirror: client.mirror, cache: client.cache)
        #expect(try await source.contents(of: target) == Array("image".utf8))
        #expect(
            repository.mirror.takeRequests()
                == ["2.root.json", "timestamp.json", "snapshot.json", "targets.json", "a/1.bin"])
    }

    @Test func `damaged local files are fetched again`() async throws {
        let repository = TestRepository()
        let client = try await TestClient(repository)
        try await client.refresh()
        for role in [Role.timestamp, .snapshot, .targets] {
            try DurableFile.replace("\(client.store.folder)/\(role.rawValue).json", with: Array("{".utf8))
        }
        _ = repository.mirror.takeRequests()
        #expect(try await client.refresh().targets.version == 1)
        #expect(
            repository.mirror.takeRequests() == ["2.root.json", "timestamp.json", "1.snapshot.json", "1.targets.json"])
    }

    @Test func `without a trusted root nothing is asked for`() async throws {
        let repository = TestRepository()
        let client = try await TestClient(repository)
        let store = CatalogueStore(folder: client.folder.path + "/empty")
        await #expect(throws: CatalogueError.noTrustedRoot(folder: store.folder)) {
            try await CatalogueUpdater(store: store, mirror: client.mirror).refresh()
        }
        #expect(repository.mirror.takeRequests() == [])
    }

    @Test func `a damaged trusted root is not trusted`() async throws {
        let client = try await TestClient(TestRepository())
        var bytes = client.stored(.root)
        bytes[bytes.count / 2] ^= 1
        try DurableFile.replace(client.store.folder + "/root.json", with: bytes)
        guard case .untrusted(file: "root.json", _, _) = await client.failure() else {
            Issue.record("accepted")
            return
        }
    }

    @Test(arguments: ["timestamp.json", "1.snapshot.json", "1.targets.json"])
    func `a file that cannot be had is unreachable, not untrusted`(name: String) async throws {
        let repository = TestRepository()
        let client = try await TestClient(repository)
        repository.mirror.put(name, nil)
        #expect(await client.failure() == .unreachable(file: name, .notFound))
        repository.mirror.fail(name, .transfer(.unreachable(.notConnected)))
        #expect(await client.failure() == .unreachable(file: name, .transfer(.unreachable(.notConnected))))
    }

    @Test(
        arguments: ["2.root.json", "timestamp.json", "1.snapshot.json"],
        [Array("<html>log in</html>".utf8), [0xEF, 0xBB, 0xBF, 0x0A, 0x3C], Array(" <p>\u{FC}".utf8) + [0xFC]])
    func `a page of HTML with status 200 is told as that`(name: String, page: [UInt8]) async throws {
        let repository = TestRepository()
        let client = try await TestClient(repository)
        repository.mirror.put(name, page)
        #expect(await client.failure() == .untrusted(file: name, .webPage))
    }

    @Test func `a cancelled transfer is a cancelled refresh`() async throws {
        let repository = TestRepository()
        let client = try await TestClient(repository)
        repository.mirror.fail("timestamp.json", .cancelled)
        #expect(await client.failure() == .cancelled)
    }
}

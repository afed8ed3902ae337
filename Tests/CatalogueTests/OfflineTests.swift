import DurableFiles
import Glibc
import TestSupport
import Testing

@testable import Catalogue

/// Offline nothing is asked for; what may be old is told to be old, and what may not is refused.
@Suite struct OfflineTests {
    @Test func `a refreshed catalogue is there without a request`() async throws {
        let repository = TestRepository()
        let client = try await TestClient(repository)
        try await client.refresh()
        _ = repository.mirror.takeRequests()
        let contents = try await client.refresh(.offline)
        #expect(contents.targets.targets.map(\.path) == ["a/1.bin"])
        #expect(contents.staleSince == nil)
        #expect(repository.mirror.takeRequests() == [])
    }

    @Test(arguments: [
        ("2030-01-03T00:00:00Z", "2030-01-03T00:00:00Z"), ("2030-03-01T00:00:00Z", "2030-01-03T00:00:00Z"),
    ])
    func `an expired timestamp and snapshot are used, and since when is told`(now: String, since: String) async throws {
        var client = try await TestClient(TestRepository())
        try await client.refresh()
        client.now = try #require(UTCTime(now))
        #expect(try await client.refresh(.offline).staleSince == UTCTime(since))
    }

    @Test func `an expired snapshot alone is told too`() async throws {
        var repository = TestRepository()
        repository.expires[.timestamp] = "2030-12-01T00:00:00Z"
        var client = try await TestClient(repository)
        try await client.refresh()
        client.now = try #require(UTCTime("2030-06-01T00:00:00Z"))
        #expect(try await client.refresh(.offline).staleSince == UTCTime("2030-02-01T00:00:00Z"))
    }

    @Test(arguments: [Role.root, .targets])
    func `an expired root or expired targets are refused`(role: Role) async throws {
        var repository = TestRepository()
        repository.expires[role] = "2030-01-02T00:00:00Z"
        var client = try await TestClient(repository)
        try await client.refresh()
        let first = client.now
        client.now = try #require(UTCTime("2030-01-02T00:00:00Z"))
        #expect(
            await client.failure(.offline)
                == .expired(
                    Expiry(role: .topLevel(role), version: 1, expired: client.now, now: client.now, lastRefresh: first))
        )
    }

    @Test func `without a local copy there is nothing`() async throws {
        let client = try await TestClient(TestRepository())
        #expect(await client.failure(.offline) == .notHere(file: "timestamp.json"))
    }

    @Test func `a mirror in a folder is read, and may be old`() async throws {
        let repository = TestRepository()
        repository.publish()
        let folder = try TemporaryFolder()
        try repository.mirror.write(to: folder.path)
        var client = try await TestClient(trusting: repository.rootFile, mirror: FolderMirror(folder: folder.path))
        client.now = try #require(UTCTime("2030-01-03T00:00:00Z"))
        let contents = try await client.refresh(.offline)
        #expect(contents.staleSince == UTCTime("2030-01-03T00:00:00Z"))
        let source = TargetSource(contents, mirror: client.mirror, cache: client.cache, mode: .offline)
        #expect(try await source.contents(of: contents.target(at: "a/1.bin")) == Array("image".utf8))
    }

    @Test func `without the folder there is what this machine holds`() async throws {
        let repository = TestRepository()
        repository.publish()
        let folder = try TemporaryFolder()
        try repository.mirror.write(to: folder.path)
        var client = try await TestClient(trusting: repository.rootFile, mirror: FolderMirror(folder: folder.path))
        let source = TargetSource(try await client.refresh(), mirror: client.mirror, cache: client.cache)
        _ = try await source.contents(of: try await client.target(at: "a/1.bin"))
        client.mirror = FolderMirror(folder: folder.path + "/stick")
        let held = try await client.refresh(.offline)
        let offline = TargetSource(held, mirror: client.mirror, cache: client.cache, mode: .offline)
        #expect(try await offline.contents(of: held.target(at: "a/1.bin")) == Array("image".utf8))
        #expect(
            await client.failure()
                == .unreachable(
                    file: "2.root.json",
                    .folder(.failed(.open, path: folder.path + "/stick/metadata/2.root.json", errno: ENOENT))))
    }

    @Test func `an offline look is no refresh`() async throws {
        var client = try await TestClient(TestRepository())
        try await client.refresh()
        let first = client.now
        client.now = try #require(UTCTime("2030-01-02T00:00:00Z"))
        try await client.refresh(.offline)
        #expect(client.store.lastRefresh() == first)
    }

    @Test func `a target that is not in the cache is not here`() async throws {
        let repository = TestRepository()
        let client = try await TestClient(repository)
        let contents = try await client.refresh()
        _ = repository.mirror.takeRequests()
        let source = TargetSource(contents, mirror: client.mirror, cache: client.cache, mode: .offline)
        await #expect(throws: CatalogueError.notHere(file: "a/1.bin")) {
            try await source.contents(of: contents.target(at: "a/1.bin"))
        }
        #expect(repository.mirror.takeRequests() == [])
    }
}

import Download
import TestSupport
import Testing

@testable import Catalogue

@Suite struct RootRotationTests {
    private let old = [SigningKey(1), SigningKey(2), SigningKey(3)]
    private let new = [SigningKey(21), SigningKey(22)]

    @Test func `a client goes through every root up to the newest and keeps it`() async throws {
        var repository = TestRepository()
        let client = try await TestClient(repository)
        for _ in 0..<3 { repository.rotate(signedAlsoBy: []) }
        #expect(try await client.refresh().root.version == 4)
        #expect(
            repository.mirror.takeRequests().prefix(5) == [
                "2.root.json", "3.root.json", "4.root.json", "5.root.json", "timestamp.json",
            ])
        #expect(client.stored(.root) == repository.mirror.file("4.root.json"))
    }

    @Test func `new keys take over when old and new ones have signed`() async throws {
        var repository = TestRepository()
        let client = try await TestClient(repository)
        repository.authority[.root] = (new, 2)
        repository.rotate(signedAlsoBy: old)
        #expect(try await client.refresh().root.version == 2)
    }

    @Test func `new keys without a threshold of the old ones are refused`() async throws {
        var repository = TestRepository()
        let client = try await TestClient(repository)
        repository.authority[.root] = (new, 2)
        repository.rotate(signedAlsoBy: [old[0]])
        #expect(
            await client.failure()
                == .untrusted(file: "2.root.json", .tooFewSignatures(of: .root, valid: 1, threshold: 2)))
        #expect(client.stored(.root) == repository.mirror.file("1.root.json"))
    }

    @Test func `old keys without a threshold of the new ones are refused`() async throws {
        var repository = TestRepository()
        let client = try await TestClient(repository)
        repository.authority[.root] = (new, 2)
        repository.version[.root] = 2
        repository.mirror.put("2.root.json", signed(repository.rootPart, by: old + [new[0]]))
        #expect(
            await client.failure()
                == .untrusted(file: "2.root.json", .tooFewSignatures(of: .root, valid: 1, threshold: 2)))
    }

    @Test func `a signature of the old root's key is none of the new root's key of the same name`() async throws {
        var repository = TestRepository()
        let client = try await TestClient(repository)
        repository.authority[.root] = (old.map { SigningKey(30, keyID: $0.keyID) }, 1)
        repository.version[.root] = 2
        repository.mirror.put("2.root.json", signed(repository.rootPart, by: old))
        #expect(
            await client.failure()
                == .untrusted(file: "2.root.json", .tooFewSignatures(of: .root, valid: 0, threshold: 1)))
    }

    @Test(arguments: [1, 3] as [Int64]) func `a root of another version than the next is refused`(version: Int64)
        async throws
    {
        var repository = TestRepository()
        let client = try await TestClient(repository)
        repository.version[.root] = version
        repository.mirror.put("2.root.json", repository.rootFile)
        #expect(await client.failure() == .untrusted(file: "2.root.json", .wrongVersion(expected: 2, actual: version)))
    }

    @Test func `an expired root on the way is no hindrance, an expired newest root is`() async throws {
        var repository = TestRepository()
        repository.expires[.root] = "2029-01-01T00:00:00Z"
        let client = try await TestClient(repository)
        repository.rotate(signedAlsoBy: [])
        let expired = try #require(UTCTime("2029-01-01T00:00:00Z"))
        #expect(
            await client.failure()
                == .expired(Expiry(role: .root, version: 2, expired: expired, now: client.now, lastRefresh: nil)))
        #expect(client.stored(.root) == repository.mirror.file("2.root.json"))
        repository.expires[.root] = "2031-01-01T00:00:00Z"
        repository.rotate(signedAlsoBy: [])
        #expect(try await client.refresh().root.version == 3)
    }

    @Test(arguments: [
        MirrorError.transfer(.httpStatus(403)), .transfer(.httpStatus(500)), .transfer(.stalled(for: .seconds(1))),
        .transfer(.unreachable(.connectionLost)),
    ])
    func `only a missing file ends the roots: another failure is not taken for the newest`(error: MirrorError)
        async throws
    {
        let repository = TestRepository()
        let client = try await TestClient(repository)
        repository.mirror.fail("2.root.json", error)
        #expect(await client.failure() == .unreachable(file: "2.root.json", error))
        #expect(repository.mirror.takeRequests() == ["2.root.json"])
    }

    @Test func `as many rotations as the limit are gone through, and not one more`() async throws {
        var repository = TestRepository()
        var client = try await TestClient(repository)
        client.limits.rootRotations = 3
        for _ in 0..<3 { repository.rotate(signedAlsoBy: []) }
        #expect(try await client.refresh().root.version == 4)
        for _ in 0..<4 { repository.rotate(signedAlsoBy: []) }
        #expect(await client.failure() == .untrusted(file: "8.root.json", .tooManyRoots(limit: 3)))
        #expect(try await client.refresh().root.version == 8)
    }

    @Test func `two hundred and fifty-six rotations are gone through`() async throws {
        var repository = TestRepository()
        let client = try await TestClient(repository)
        for _ in 0..<256 { repository.rotate(signedAlsoBy: []) }
        #expect(try await client.refresh().root.version == 257)
    }

    @Test func `a revoked timestamp key signs nothing any more`() async throws {
        var repository = TestRepository()
        let client = try await TestClient(repository)
        try await client.refresh()
        repository.authority[.timestamp] = ([SigningKey(40)], 1)
        repository.rotate(signedAlsoBy: [])
        #expect(
            await client.failure()
                == .untrusted(
                    file: "timestamp.json", version: 1,
                    .tooFewSignatures(of: .timestamp, valid: 0, threshold: 1)))
    }

    /// Specification 5.3.11: whoever had the keys may have driven the versions up.
    @Test func `new keys recover from versions driven up with the old ones`() async throws {
        var repository = TestRepository()
        for role in [Role.timestamp, .snapshot] { repository.version[role] = 1_000_000 }
        let client = try await TestClient(repository)
        try await client.refresh()
        for role in [Role.timestamp, .snapshot] { repository.version[role] = 2 }
        repository.authority[.timestamp] = ([SigningKey(40)], 1)
        repository.authority[.snapshot] = ([SigningKey(41)], 1)
        repository.rotate(signedAlsoBy: [])
        repository.publishTargetsAndBelow()
        #expect(try await client.refresh().timestamp.version == 2)
    }
}

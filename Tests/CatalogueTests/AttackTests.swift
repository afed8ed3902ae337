import Download
import TestSupport
import Testing

@testable import Catalogue

/// Each attack that TUF's specification (1.5.2) names, tried on a client that has refreshed once.
@Suite struct AttackTests {
    // MARK: Rollback

    @Test func `rollback of the timestamp`() async throws {
        var repository = TestRepository()
        repository.version[.timestamp] = 5
        let client = try await TestClient(repository)
        try await client.refresh()
        let kept = client.stored(.timestamp)
        repository.version[.timestamp] = 4
        repository.publish()
        #expect(
            await client.failure() == .untrusted(file: "timestamp.json", version: 4, .rollback(trusted: 5, actual: 4)))
        #expect(client.stored(.timestamp) == kept)
    }

    @Test func `rollback of the snapshot in a newer timestamp`() async throws {
        var repository = TestRepository()
        repository.version[.snapshot] = 5
        let client = try await TestClient(repository)
        try await client.refresh()
        let kept = client.stored(.timestamp)
        repository.version[.timestamp] = 2
        repository.version[.snapshot] = 4
        repository.publish()
        #expect(
            await client.failure()
                == .untrusted(
                    file: "timestamp.json", version: 2,
                    .rollbackListed(file: "snapshot.json", trusted: 5, actual: 4)))
        #expect(client.stored(.timestamp) == kept)
    }

    @Test func `rollback of the targets in a newer snapshot`() async throws {
        var repository = TestRepository()
        repository.version[.targets] = 5
        let client = try await TestClient(repository)
        try await client.refresh()
        repository.version[.timestamp] = 2
        repository.version[.snapshot] = 2
        repository.version[.targets] = 4
        repository.publish()
        #expect(
            await client.failure()
                == .untrusted(
                    file: "2.snapshot.json", .rollbackListed(file: "targets.json", trusted: 5, actual: 4)))
    }

    @Test func `an expired local timestamp still stops a rollback`() async throws {
        var repository = TestRepository()
        repository.version[.timestamp] = 5
        var client = try await TestClient(repository)
        try await client.refresh()
        client.now = try #require(UTCTime("2030-01-10T00:00:00Z"))
        repository.version[.timestamp] = 4
        repository.expires[.timestamp] = "2030-01-12T00:00:00Z"
        repository.publish()
        #expect(
            await client.failure() == .untrusted(file: "timestamp.json", version: 4, .rollback(trusted: 5, actual: 4)))
    }

    @Test func `a superseded local snapshot still stops a rollback`() async throws {
        var repository = TestRepository()
        repository.version[.targets] = 5
        let client = try await TestClient(repository)
        try await client.refresh()
        repository.version[.timestamp] = 2
        repository.version[.snapshot] = 2
        repository.publish()
        repository.mirror.fail("2.snapshot.json", .transfer(.unreachable(.notConnected)))
        _ = await client.failure()
        repository.mirror.fail("2.snapshot.json", nil)
        repository.version[.timestamp] = 3
        repository.version[.snapshot] = 3
        repository.version[.targets] = 4
        repository.publish()
        #expect(
            await client.failure()
                == .untrusted(
                    file: "3.snapshot.json", .rollbackListed(file: "targets.json", trusted: 5, actual: 4)))
    }

    @Test func `a role that vanishes from the snapshot`() async throws {
        var repository = TestRepository()
        let client = try await TestClient(repository)
        try await client.refresh()
        repository.edit[.snapshot] = { $0.setting("meta", to: ["other.json": ["version": 1]]) }
        repository.release()
        #expect(
            await client.failure()
                == .untrusted(file: "2.snapshot.json", .vanishedFromSnapshot(file: "targets.json")))
    }

    @Test func `a snapshot that lists no targets`() async throws {
        var repository = TestRepository()
        repository.edit[.snapshot] = { $0.setting("meta", to: [:]) }
        let client = try await TestClient(repository)
        #expect(
            await client.failure() == .untrusted(file: "snapshot.json", .missingFromSnapshot(file: "targets.json")))
    }

    // MARK: Freeze

    @Test(arguments: [Role.root, .timestamp, .snapshot, .targets])
    func `freeze with expired metadata`(role: Role) async throws {
        var repository = TestRepository()
        repository.expires[role] = TestRepository.now.description
        let client = try await TestClient(repository)
        #expect(
            await client.failure()
                == .expired(
                    Expiry(role: .topLevel(role), version: 1, expired: client.now, now: client.now, lastRefresh: nil)))
        if role != .root { #expect(client.stored(.topLevel(role)) == []) }
    }

    @Test func `one second before its expiry a file is good`() async throws {
        var repository = TestRepository()
        for role in Role.allCases { repository.expires[role] = "2030-01-01T00:00:01Z" }
        try await TestClient(repository).refresh()
    }

    @Test func `a freeze is told with the time of the last refresh`() async throws {
        let repository = TestRepository()
        var client = try await TestClient(repository)
        try await client.refresh()
        let first = client.now
        client.now = try #require(UTCTime("2030-01-03T00:00:00Z"))
        #expect(
            await client.failure()
                == .expired(
                    Expiry(role: .timestamp, version: 1, expired: client.now, now: client.now, lastRefresh: first)))
    }

    @Test func `expired local metadata gives way to fresh metadata`() async throws {
        var repository = TestRepository()
        var client = try await TestClient(repository)
        try await client.refresh()
        client.now = try #require(UTCTime("2030-06-01T00:00:00Z"))
        for role in [Role.timestamp, .snapshot] { repository.expires[role] = "2030-06-03T00:00:00Z" }
        repository.release()
        #expect(try await client.refresh().targets.version == 2)
    }

    // MARK: Mix and match

    @Test func `mix and match: targets of another snapshot`() async throws {
        var repository = TestRepository()
        let client = try await TestClient(repository)
        let old = repository.mirror.file("1.targets.json")
        repository.targets["b/2.bin"] = ([1], nil)
        repository.listsHashes = false
        repository.release()
        repository.mirror.put("2.targets.json", old)
        #expect(await client.failure() == .untrusted(file: "2.targets.json", .wrongVersion(expected: 2, actual: 1)))
    }

    @Test func `mix and match: a snapshot of another timestamp`() async throws {
        var repository = TestRepository()
        repository.listsHashes = false
        let client = try await TestClient(repository)
        let old = repository.mirror.file("1.snapshot.json")
        repository.release()
        repository.mirror.put("2.snapshot.json", old)
        #expect(await client.failure() == .untrusted(file: "2.snapshot.json", .wrongVersion(expected: 2, actual: 1)))
    }

    @Test(arguments: [Role.snapshot, .targets])
    func `mix and match: the same version with other content`(role: Role) async throws {
        var repository = TestRepository()
        let client = try await TestClient(repository)
        let name = "1.\(role.rawValue).json"
        let honest = repository.mirror.file(name)
        repository.expires[role] = "2029-02-01T00:00:00Z"
        repository.publish()
        let other = repository.mirror.file(name)
        repository.expires[role] = TestRepository().expires[role]
        repository.publish()
        #expect(other.count == honest.count)
        repository.mirror.put(name, other)
        #expect(await client.failure() == .untrusted(file: name, .wrongHash(algorithm: "sha256")))
    }

    // MARK: Endless data

    @Test func `endless data for every file`() async throws {
        let limits = CatalogueLimits()
        for (name, limit) in [("2.root.json", limits.rootBytes), ("timestamp.json", limits.timestampBytes)] {
            let repository = TestRepository()
            let client = try await TestClient(repository)
            repository.mirror.put(name, [UInt8](repeating: 0x20, count: limit + 1))
            #expect(await client.failure() == .untrusted(file: name, .tooLarge(limit: limit)))
        }
    }

    @Test(arguments: [Role.snapshot, .targets])
    func `one byte more than listed is too much`(role: Role) async throws {
        let repository = TestRepository()
        let client = try await TestClient(repository)
        let name = "1.\(role.rawValue).json"
        let honest = repository.mirror.file(name)
        repository.mirror.put(name, honest + [0x0A])
        #expect(await client.failure() == .untrusted(file: name, .tooLarge(limit: honest.count)))
    }

    @Test(arguments: [Role.snapshot, .targets])
    func `a listed length beyond the limit does not raise the limit`(role: Role) async throws {
        let repository = TestRepository()
        var client = try await TestClient(repository)
        client.limits.snapshotBytes = role == .snapshot ? 100 : 10_000
        client.limits.targetsBytes = 100
        #expect(await client.failure() == .untrusted(file: "1.\(role.rawValue).json", .tooLarge(limit: 100)))
    }

    @Test(arguments: [Role.snapshot, .targets])
    func `one byte less than listed is too little`(role: Role) async throws {
        let repository = TestRepository()
        let client = try await TestClient(repository)
        let name = "1.\(role.rawValue).json"
        let honest = repository.mirror.file(name)
        repository.mirror.put(name, honest.dropLast())
        #expect(
            await client.failure()
                == .untrusted(file: name, .wrongLength(expected: honest.count, actual: honest.count - 1)))
    }

    // MARK: Form

    @Test(arguments: [Role.timestamp, .snapshot, .targets])
    func `metadata of another type under the right key`(role: Role) async throws {
        var repository = TestRepository()
        repository.edit[role] = { $0.setting("_type", to: "root") }
        let client = try await TestClient(repository)
        let name = role == .timestamp ? "timestamp.json" : "1.\(role.rawValue).json"
        #expect(
            await client.failure()
                == .untrusted(
                    file: name, version: role == .timestamp ? 1 : nil, .wrongType(expected: role, actual: "root")))
    }

    @Test(arguments: ["2.0.0", "0.9.0", "1", "1.", "1.0.0.0", "one", "", "1.x.0", "11.0.0", "01.0.0"])
    func `metadata of an unknown specification`(version: String) async throws {
        var repository = TestRepository()
        repository.edit[.timestamp] = { $0.setting("spec_version", to: .init(stringLiteral: version)) }
        let client = try await TestClient(repository)
        #expect(
            await client.failure()
                == .untrusted(
                    file: "timestamp.json", version: 1, .unknownSpecification(version: UTF8Text(version))))
    }

    @Test(arguments: [0, -1, .min] as [Int64]) func `a version below one`(version: Int64) async throws {
        var repository = TestRepository()
        repository.version[.timestamp] = version
        let client = try await TestClient(repository)
        #expect(
            await client.failure()
                == .untrusted(file: "timestamp.json", version: version, .badField("signed.version")))
    }

    @Test func `a hash algorithm that is not known is refused, not skipped`() async throws {
        var repository = TestRepository()
        repository.edit[.timestamp] = { part in
            part.setting(
                "meta", to: ["snapshot.json": ["version": 1, "hashes": ["md5": "00", "sha256": "00"]]])
        }
        let client = try await TestClient(repository)
        #expect(await client.failure() == .untrusted(file: "1.snapshot.json", .unknownHashAlgorithm("md5")))
    }
}

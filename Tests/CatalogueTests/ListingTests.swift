import Download
import Testing

@testable import Catalogue

/// Releases that delegated roles list, and those that they may not.
@Suite struct ListingTests {
    private static let keys = (a: SigningKey(61), b: SigningKey(62), c: SigningKey(63))

    private static func custom(_ family: String, _ version: String) -> JSONValue {
        [
            "schema": 1, "family": .init(stringLiteral: family), "chip": "ESP32-S3",
            "version": .init(stringLiteral: version), "channel": "stable", "application_protocol": 2,
            "released": "2026-09-01T12:00:00Z", "notes": "",
        ]
    }

    private static func path(_ family: String, _ version: String) -> String { "\(family)/\(version)/espurr.bin" }

    /// Of a role that lists one release for each pair.
    private static func role(
        _ key: SigningKey, _ releases: [(family: String, version: String)], bytes: UInt8 = 1
    ) -> TestRole {
        var role = TestRole(keys: [key])
        for (family, version) in releases {
            role.targets[path(family, version)] = [bytes]
            role.custom[path(family, version)] = custom(family, version)
        }
        return role
    }

    /// The top lists s3 1.0.0 and leaves s3 to A and v2-8m to B.
    private func repository(
        a: [(family: String, version: String)] = [("s3", "1.1.0")],
        b: [(family: String, version: String)] = [("v2-8m", "2.0.0")]
    ) -> TestRepository {
        var repository = TestRepository()
        repository.targets = [Self.path("s3", "1.0.0"): ([7], Self.custom("s3", "1.0.0"))]
        repository.delegations = delegations(
            TestDelegation(name: "A", keys: [Self.keys.a], paths: ["s3/*/*"]),
            TestDelegation(name: "B", keys: [Self.keys.b], paths: ["v2-*/*/*.bin"]))
        repository.delegated = ["A": Self.role(Self.keys.a, a), "B": Self.role(Self.keys.b, b)]
        return repository
    }

    private func listing(
        _ client: TestClient, family: String? = nil, _ mode: CatalogueUpdater.Mode = .online
    ) async throws(CatalogueError) -> ReleaseListing {
        let now = client.now
        let updater = CatalogueUpdater(
            store: client.store, mirror: client.mirror, limits: client.limits, now: { now })
        return try await updater.listing(of: try await updater.refresh(mode), family: family)
    }

    private func releases(_ repository: TestRepository, family: String? = nil) async throws -> [String] {
        let client = try await TestClient(repository)
        return try await listing(client, family: family).releases.map { "\($0.family) \($0.version)" }
    }

    private func failure(_ client: TestClient, family: String? = nil) async -> CatalogueError? {
        do throws(CatalogueError) {
            _ = try await listing(client, family: family)
            return nil
        } catch {
            return error
        }
    }

    @Test func `the releases of delegated roles stand beside those at the top`() async throws {
        #expect(try await releases(repository()) == ["s3 1.0.0", "s3 1.1.0", "v2-8m 2.0.0"])
    }

    @Test func `without delegations nothing more is asked for`() async throws {
        var repository = repository()
        repository.delegations = nil
        repository.delegated = [:]
        let client = try await TestClient(repository)
        #expect(try await listing(client).releases.count == 1)
        #expect(
            repository.mirror.takeRequests() == [
                "2.root.json", "timestamp.json", "1.snapshot.json", "1.targets.json",
            ])
    }

    @Test func `a role that cannot speak for the family is not asked`() async throws {
        var repository = repository()
        repository.delegated["B"]?.expires = "2029-01-01T00:00:00Z"
        let client = try await TestClient(repository)
        #expect(try await listing(client, family: "s3").releases.map { "\($0.version)" } == ["1.0.0", "1.1.0"])
        #expect(repository.mirror.takeRequests().last == "1.A.json")
        #expect(await failure(client, family: "v2-8m") != nil)
    }

    @Test func `a role that may hold a newer release has to be had`() async throws {
        let repository = repository()
        repository.mirror.put("1.A.json", nil)
        let client = try await TestClient(repository)
        repository.mirror.put("1.A.json", nil)
        #expect(await failure(client, family: "s3") == .unreachable(file: "1.A.json", .notFound))
    }

    @Test func `a release outside of what its role may speak for is not heard`() async throws {
        let repository = repository(a: [("s3", "1.1.0"), ("v2-8m", "9.0.0")])
        #expect(try await releases(repository) == ["s3 1.0.0", "s3 1.1.0", "v2-8m 2.0.0"])
    }

    @Test func `the first role that lists a path is believed, the top before all`() async throws {
        var repository = repository()
        repository.delegations = delegations(
            TestDelegation(name: "A", keys: [Self.keys.a], paths: ["s3/*/*"]),
            TestDelegation(name: "B", keys: [Self.keys.b], paths: ["s3/*/*"]))
        repository.delegated = [
            "A": Self.role(Self.keys.a, [("s3", "1.0.0"), ("s3", "1.1.0")], bytes: 1),
            "B": Self.role(Self.keys.b, [("s3", "1.1.0"), ("s3", "1.2.0")], bytes: 2),
        ]
        let client = try await TestClient(repository)
        let found = try await listing(client).releases.map { ("\($0.version)", $0.target.sha256) }
        #expect(found.map(\.0) == ["1.0.0", "1.1.0", "1.2.0"])
        #expect(found.map(\.1) == [sha256([7]), sha256([1]), sha256([2])])
    }

    @Test func `nothing comes after a terminating role`() async throws {
        var repository = repository()
        repository.delegations = delegations(
            TestDelegation(name: "A", keys: [Self.keys.a], isTerminating: true, paths: ["s3/*/*"]),
            TestDelegation(name: "B", keys: [Self.keys.b], paths: ["*/*/*"]))
        repository.delegated["B"] = Self.role(Self.keys.b, [("s3", "6.6.6"), ("v2-8m", "2.0.0")])
        #expect(try await releases(repository) == ["s3 1.0.0", "s3 1.1.0", "v2-8m 2.0.0"])
    }

    @Test func `a role below a role is asked, a cycle ends`() async throws {
        var repository = repository()
        repository.delegated["A"]?.delegations = delegations(
            TestDelegation(name: "C", keys: [Self.keys.c], paths: ["s3/1.*/*"]))
        repository.delegated["C"] = Self.role(Self.keys.c, [("s3", "1.5.0"), ("s3", "3.0.0")])
        repository.delegated["C"]?.delegations = delegations(
            TestDelegation(name: "A", keys: [Self.keys.a], paths: ["s3/*/*"]))
        #expect(try await releases(repository, family: "s3") == ["s3 1.0.0", "s3 1.1.0", "s3 1.5.0"])
    }

    @Test func `hash bins are gone through`() async throws {
        var repository = repository()
        repository.delegations = succinctDelegations(prefix: "bin", bitLength: 1, keys: [Self.keys.a])
        let all = [("s3", "1.1.0"), ("s3", "1.2.0"), ("s3", "1.3.0"), ("s3", "1.4.0")]
        repository.delegated = ["bin-0": Self.role(Self.keys.a, all), "bin-1": Self.role(Self.keys.a, all)]
        #expect(
            try await releases(repository)
                == ["s3 1.0.0", "s3 1.1.0", "s3 1.2.0", "s3 1.3.0", "s3 1.4.0"])
    }

    @Test func `more roles than the limit are refused, and no more of them asked`() async throws {
        var repository = repository()
        repository.delegations = succinctDelegations(prefix: "bin", bitLength: 32, keys: [Self.keys.a])
        repository.delegated = [:]
        for bin in 0..<4 { repository.delegated["bin-0000000\(bin)"] = TestRole(keys: [Self.keys.a]) }
        var client = try await TestClient(repository)
        client.limits.listedRoles = 3
        #expect(await failure(client) == .untrusted(file: "targets.json", .tooManyDelegations(limit: 3)))
        #expect(repository.mirror.takeRequests().last == "1.bin-00000002.json")
    }

    @Test func `more targets than the limit are refused`() async throws {
        var client = try await TestClient(repository())
        client.limits.listedTargets = 1
        #expect(await failure(client) == .untrusted(file: "targets.json", .tooManyTargets(limit: 1)))
    }

    @Test func `offline the roles that were asked before are enough`() async throws {
        let repository = repository()
        let client = try await TestClient(repository)
        _ = try await listing(client)
        _ = repository.mirror.takeRequests()
        #expect(try await listing(client, .offline).releases.count == 3)
        #expect(repository.mirror.takeRequests() == [])
    }

    @Test func `after the time for a refresh nothing more is fetched`() async throws {
        let repository = repository()
        var client = try await TestClient(repository)
        client.limits.refreshTime = .zero
        #expect(
            await failure(client) == .unreachable(file: "2.root.json", .transfer(.timedOut(after: .zero))))
        #expect(repository.mirror.takeRequests() == [])
    }
}

import TestSupport
import Testing

@testable import Catalogue

/// Who is asked about a target, in which order, and whose word counts (specification 5.6.7).
@Suite struct DelegationTests {
    private static let keys = (
        a: SigningKey(61), b: SigningKey(62), c: SigningKey(63), d: SigningKey(64)
    )

    /// `targets` delegates to A and B, A to C and D; nobody lists anything.
    private func tree(_ change: (inout [String: TestDelegation]) -> Void = { _ in }) -> TestRepository {
        let keys = Self.keys
        var entries = [
            "A": TestDelegation(name: "A", keys: [keys.a]), "B": TestDelegation(name: "B", keys: [keys.b]),
            "C": TestDelegation(name: "C", keys: [keys.c]), "D": TestDelegation(name: "D", keys: [keys.d]),
        ]
        change(&entries)
        var repository = TestRepository()
        repository.delegations = delegations(entries["A"]!, entries["B"]!)
        repository.delegated = [
            "A": TestRole(keys: [keys.a], delegations: delegations(entries["C"]!, entries["D"]!)),
            "B": TestRole(keys: [keys.b]), "C": TestRole(keys: [keys.c]), "D": TestRole(keys: [keys.d]),
        ]
        return repository
    }

    /// The roles that were asked about a path that nobody lists, in order.
    private func visited(_ repository: TestRepository, _ path: UTF8Text = "missing") async throws -> [String] {
        let client = try await TestClient(repository)
        #expect(await client.failure(at: path) == .noSuchTarget(path: path))
        let topLevel = ["root", "timestamp", "snapshot", "targets"]
        return repository.mirror.takeRequests().map { String($0.dropLast(".json".count).drop { "0"..."9" ~= $0 }) }
            .map { $0.hasPrefix(".") ? String($0.dropFirst()) : $0 }.filter { !topLevel.contains($0) }
    }

    // MARK: Order

    @Test func `pre-order and depth first`() async throws {
        #expect(try await visited(tree()) == ["A", "C", "D", "B"])
    }

    @Test func `a terminating delegation ends what comes after it`() async throws {
        #expect(try await visited(tree { $0["C"]?.isTerminating = true }) == ["A", "C"])
        #expect(try await visited(tree { $0["A"]?.isTerminating = true }) == ["A", "C", "D"])
    }

    @Test func `a terminating delegation that does not cover the path ends nothing`() async throws {
        let repository = tree { entries in
            entries["C"]?.isTerminating = true
            entries["C"]?.paths = ["*.py"]
        }
        #expect(try await visited(repository) == ["A", "D", "B"])
    }

    @Test func `a cycle ends where it began`() async throws {
        var repository = tree()
        repository.delegated["C"]?.delegations = delegations(TestDelegation(name: "A", keys: [Self.keys.a]))
        #expect(try await visited(repository) == ["A", "C", "D", "B"])
    }

    @Test func `a role does not delegate to the top`() async throws {
        var repository = tree()
        repository.delegations = delegations(TestDelegation(name: "targets", keys: [Self.keys.a]))
        let client = try await TestClient(repository)
        #expect(
            await client.failure() == .untrusted(file: "1.targets.json", .badField("signed.delegations.roles.name")))
    }

    @Test func `no more roles are asked than the limit`() async throws {
        let repository = tree()
        var client = try await TestClient(repository)
        client.limits.delegations = 3
        #expect(await client.failure(at: "x") == .untrusted(file: "targets.json", .tooManyDelegations(limit: 3)))
        client.limits.delegations = 4
        #expect(await client.failure(at: "x") == .noSuchTarget(path: "x"))
    }

    @Test func `the first who lists the target is believed, and nobody else asked`() async throws {
        var repository = tree()
        repository.delegated["C"]?.targets = ["x": [1, 2, 3]]
        repository.delegated["D"]?.targets = ["x": [4]]
        let client = try await TestClient(repository)
        #expect(try await client.target(at: "x").length == 3)
        #expect(
            repository.mirror.takeRequests() == [
                "2.root.json", "timestamp.json", "1.snapshot.json", "1.targets.json", "1.A.json", "1.C.json",
            ])
    }

    @Test func `the top-level targets come first`() async throws {
        var repository = tree()
        repository.targets["x"] = ([9, 9], nil)
        repository.delegated["A"]?.targets = ["x": [1]]
        let client = try await TestClient(repository)
        #expect(try await client.target(at: "x").length == 2)
    }

    // MARK: What is kept

    @Test func `a delegated role that is listed as it was is not asked for again`() async throws {
        var repository = tree()
        repository.delegated["A"]?.targets = ["x": [1]]
        let client = try await TestClient(repository)
        _ = try await client.target(at: "x")
        #expect(client.stored(.delegated("A")) == repository.mirror.file("1.A.json"))
        _ = repository.mirror.takeRequests()
        _ = try await client.target(at: "x")
        #expect(repository.mirror.takeRequests() == ["2.root.json", "timestamp.json"])
        _ = try await client.target(at: "x", .offline)
        #expect(repository.mirror.takeRequests() == [])
    }

    @Test func `offline, a role that was never asked for is not here`() async throws {
        let client = try await TestClient(tree())
        try await client.refresh()
        #expect(await client.failure(at: "x", .offline) == .notHere(file: "1.A.json"))
    }

    @Test func `what one delegator's keys let pass says nothing under another`() async throws {
        let keys = Self.keys
        var repository = TestRepository()
        repository.delegations = delegations(
            TestDelegation(name: "A", keys: [keys.a], paths: ["a/*"]),
            TestDelegation(name: "B", keys: [keys.b], paths: ["b/*"]))
        repository.delegated = [
            "A": TestRole(
                keys: [keys.a], delegations: delegations(TestDelegation(name: "C", keys: [keys.c], paths: ["a/*"]))),
            "B": TestRole(
                keys: [keys.b], delegations: delegations(TestDelegation(name: "C", keys: [keys.d], paths: ["b/*"]))),
            "C": TestRole(keys: [keys.c], targets: ["a/x": [1], "b/x": [2]]),
        ]
        let client = try await TestClient(repository)
        #expect(try await client.target(at: "a/x").length == 1)
        #expect(
            await client.failure(at: "b/x")
                == .untrusted(file: "1.C.json", .tooFewSignatures(of: .delegated("C"), valid: 0, threshold: 1)))
    }

    // MARK: Who is refused

    @Test func `a delegated role below its threshold is refused, and nobody asked in its place`() async throws {
        var repository = tree()
        repository.delegations = delegations(
            TestDelegation(name: "A", keys: [Self.keys.a, Self.keys.c], threshold: 2),
            TestDelegation(name: "B", keys: [Self.keys.b]))
        repository.delegated["B"]?.targets = ["x": [1]]
        let client = try await TestClient(repository)
        #expect(
            await client.failure(at: "x")
                == .untrusted(file: "1.A.json", .tooFewSignatures(of: .delegated("A"), valid: 1, threshold: 2)))
        #expect(client.stored(.delegated("A")) == [])
    }

    @Test func `an expired delegated role is refused`() async throws {
        var repository = tree()
        repository.delegated["A"]?.expires = "2029-01-01T00:00:00Z"
        let client = try await TestClient(repository)
        let expiry = Expiry(
            role: .delegated("A"), version: 1, expired: try #require(UTCTime("2029-01-01T00:00:00Z")), now: client.now,
            lastRefresh: client.now)
        #expect(await client.failure(at: "x") == .expired(expiry))
    }

    @Test func `a delegated role that the snapshot does not list is not asked for`() async throws {
        var repository = tree()
        repository.delegated["A"] = nil
        let client = try await TestClient(repository)
        #expect(
            await client.failure(at: "x") == .untrusted(file: "snapshot.json", .missingFromSnapshot(file: "A.json")))
        #expect(repository.mirror.takeRequests().last == "1.targets.json")
    }

    @Test func `another role's metadata does not stand in for a role's own`() async throws {
        var repository = tree()
        repository.delegated["A"]?.keys = [Self.keys.b]
        let client = try await TestClient(repository)
        #expect(
            await client.failure(at: "x")
                == .untrusted(file: "1.A.json", .tooFewSignatures(of: .delegated("A"), valid: 0, threshold: 1)))
    }

    @Test(arguments: ["?", "#", "/slash", "../up", "..", "ä", "a b", "%2F", "A.json"])
    func `a role of any name has a file of its own in the folder`(name: String) async throws {
        var repository = TestRepository()
        repository.delegations = delegations(TestDelegation(name: name, keys: [Self.keys.a]))
        repository.delegated = [name: TestRole(keys: [Self.keys.a], targets: ["x": [1]])]
        let client = try await TestClient(repository)
        #expect(try await client.target(at: "x").length == 1)
        #expect(client.stored(.delegated(UTF8Text(name))) == repository.mirror.file("1.\(name).json"))
        #expect(repository.mirror.takeRequests().last == "1.\(name).json")
    }

    @Test(arguments: ["", "root", "timestamp", "snapshot", "targets", String(repeating: "a", count: 65)])
    func `a role's name that is none, or a top-level role's, is refused`(name: String) async throws {
        var repository = TestRepository()
        repository.delegations = delegations(TestDelegation(name: name, keys: [Self.keys.a]))
        let client = try await TestClient(repository)
        #expect(
            await client.failure() == .untrusted(file: "1.targets.json", .badField("signed.delegations.roles.name")))
    }

    @Test func `a folder is not left by the name of a role`() async throws {
        let folder = try TemporaryFolder()
        try folder.write("secret", to: "outside.json")
        let mirror = FolderMirror(folder: folder.path)
        await #expect(throws: MirrorError.notFound) { try await mirror.metadata(named: "../outside.json", limit: 10) }
    }

    // MARK: Form

    @Test func `a role that is named twice is refused`() async throws {
        var repository = TestRepository()
        let entry = TestDelegation(name: "A", keys: [Self.keys.a])
        repository.delegations = delegations(entry, entry)
        #expect(
            await (try TestClient(repository)).failure()
                == .untrusted(file: "1.targets.json", .badField("signed.delegations.roles")))
    }

    @Test(arguments: [
        ("roles", "signed.delegations.roles"), ("keys", "signed.delegations.keys"),
    ])
    func `delegations without what they need are refused`(name: String, field: String) async throws {
        var repository = tree()
        repository.delegations = repository.delegations?.setting(name, to: nil)
        #expect(
            await (try TestClient(repository)).failure() == .untrusted(file: "1.targets.json", .badField(field)))
    }

    @Test func `both kinds of path, or neither, are refused`() async throws {
        let entry = TestDelegation(name: "A", keys: [Self.keys.a]).entry
        for changed in [entry.setting("path_hash_prefixes", to: ["00"]), entry.setting("paths", to: nil)] {
            var repository = TestRepository()
            repository.delegations = ["keys": [:], "roles": .array([changed])]
            #expect(
                await (try TestClient(repository)).failure()
                    == .untrusted(file: "1.targets.json", .badField("signed.delegations.roles.paths")))
        }
    }
}

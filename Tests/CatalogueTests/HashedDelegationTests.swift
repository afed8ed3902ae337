import Testing

@testable import Catalogue

/// Delegation by the hash of the path: prefixes, and bins as TAP 15 writes them down.
@Suite struct HashedDelegationTests {
    private static let key = SigningKey(71)

    private func requests(_ repository: TestRepository, _ path: UTF8Text) async throws -> [String] {
        let client = try await TestClient(repository)
        #expect(await client.failure(at: path) == .noSuchTarget(path: path))
        return Array(repository.mirror.takeRequests().dropFirst(4))
    }

    /// The SHA-256 of `file1.txt` begins with `55ae`.
    @Test(arguments: [
        (["55"], true), (["5"], true), (["55ae"], true), (["00", "55"], true), (["56"], false), ([], false),
        (["ae"], false),
    ]) func `a prefix of the path's hash covers it`(prefixes: [String], isCovered: Bool) async throws {
        #expect(sha256(Array("file1.txt".utf8)).hasPrefix("55ae"))
        var repository = TestRepository()
        repository.delegations = delegations(
            TestDelegation(name: "A", keys: [Self.key], hashPrefixes: prefixes))
        repository.delegated = ["A": TestRole(keys: [Self.key])]
        #expect(try await requests(repository, "file1.txt") == (isCovered ? ["1.A.json"] : []))
    }

    @Test(arguments: ["5G", "AE", " "]) func `a prefix that is no lower-case hexadecimal is refused`(prefix: String)
        async throws
    {
        var repository = TestRepository()
        repository.delegations = delegations(TestDelegation(name: "A", keys: [Self.key], hashPrefixes: [prefix]))
        #expect(
            await (try TestClient(repository)).failure()
                == .untrusted(file: "1.targets.json", .badField("signed.delegations.roles.path_hash_prefixes")))
    }

    /// The names are those that python-tuf's `SuccinctRoles.get_role_for_target` gives.
    @Test(
        arguments: [
            (1, "file1.txt", "bin-0"), (2, "file1.txt", "bin-1"), (8, "file1.txt", "bin-55"),
            (10, "file1.txt", "bin-156"),
            (32, "file1.txt", "bin-55ae75d9"), (5, "file1.txt", "bin-0a"), (8, "ohren/ä.bin", "bin-BIN"),
        ] as [(Int64, String, String)])
    func `the bin of a path`(bitLength: Int64, path: String, expected: String) async throws {
        let name = expected.replacing("BIN", with: sha256(Array(path.utf8)).prefix(2))
        var repository = TestRepository()
        repository.delegations = succinctDelegations(prefix: "bin", bitLength: bitLength, keys: [Self.key])
        repository.delegated = [name: TestRole(keys: [Self.key], targets: [path: [1, 2]])]
        let client = try await TestClient(repository)
        #expect(try await client.target(at: UTF8Text(path)).length == 2)
    }

    @Test(arguments: [0, 33, -1, .max] as [Int64]) func `a number of bins out of range is refused`(bitLength: Int64)
        async throws
    {
        var repository = TestRepository()
        repository.delegations = succinctDelegations(prefix: "bin", bitLength: bitLength, keys: [Self.key])
        #expect(
            await (try TestClient(repository)).failure()
                == .untrusted(
                    file: "1.targets.json", .badField("signed.delegations.succinct_roles.bit_length")))
    }

    @Test func `both ways of delegating at once are refused`() async throws {
        var repository = TestRepository()
        repository.delegations = succinctDelegations(prefix: "bin", bitLength: 1, keys: [Self.key])
            .setting("roles", to: [])
        #expect(
            await (try TestClient(repository)).failure()
                == .untrusted(file: "1.targets.json", .badField("signed.delegations.roles")))
    }
}

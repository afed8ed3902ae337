import DurableFiles
import Glibc
import TestSupport
import Testing

@testable import Catalogue

@Suite struct StoreTests {
    private func names(in folder: String) -> Set<String> {
        guard let listing = opendir(folder) else { return [] }
        defer { closedir(listing) }
        var names: Set<String> = []
        while let entry = readdir(listing) {
            names.insert(
                withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) })
        }
        return names.subtracting([".", ".."])
    }

    @Test func `the folder holds the four files and nothing else that ends in json`() async throws {
        let client = try await TestClient(TestRepository())
        try await client.refresh()
        #expect(
            names(in: client.store.folder) == [
                "root.json", "timestamp.json", "snapshot.json", "targets.json", "last-refresh", ".lock",
            ])
    }

    @Test func `another holder of the lock is waited for no longer than the limit`() async throws {
        var client = try await TestClient(TestRepository())
        client.limits.lockTime = .zero
        let held = try await client.store.exclusiveAccess()
        #expect(await client.failure() == .locked(path: client.store.folder + "/.lock"))
        withExtendedLifetime(held) {}
        // Kept until here; then the lock is free again.
    }

    @Test func `the lock is free when its holder is gone`() async throws {
        var client = try await TestClient(TestRepository())
        client.limits.lockTime = .zero
        do { _ = try await client.store.exclusiveAccess() }
        try await client.refresh()
    }

    @Test func `what a crash left half-written is removed by the next refresh`() async throws {
        let client = try await TestClient(TestRepository())
        let leftover = client.store.folder + "/.root.json.abc.part"
        close(creat(leftover, 0o600))
        try await client.refresh()
        #expect(access(leftover, F_OK) != 0)
    }

    @Test func `a folder that cannot be made is a fault of the local state`() async throws {
        let folder = try TemporaryFolder()
        try folder.write("x", to: "file")
        let store = CatalogueStore(folder: folder.path + "/file/state")
        let root = try TrustedRoot(TestRepository().rootFile)
        await #expect(
            throws: CatalogueError.localState(
                .failed(.makeFolder, path: folder.path + "/file/state", errno: ENOTDIR))
        ) { try await store.trust(root) }
    }

    @Test func `a folder in place of a file is a fault, not a crash or a wait`() async throws {
        let client = try await TestClient(TestRepository())
        let path = client.store.folder + "/timestamp.json"
        #expect(mkdir(path, 0o700) == 0)
        #expect(
            await client.failure() == .localState(.failed(.open, path: path, errno: EINVAL)))
    }

    @Test func `a pipe in place of a file is not waited for`() async throws {
        let client = try await TestClient(TestRepository())
        let path = client.store.folder + "/timestamp.json"
        #expect(mkfifo(path, 0o600) == 0)
        #expect(
            await client.failure() == .localState(.failed(.open, path: path, errno: EINVAL)))
    }

    @Test func `a local file past its limit is as good as none`() async throws {
        let repository = TestRepository()
        var client = try await TestClient(repository)
        try await client.refresh()
        try DurableFile.replace(
            client.store.folder + "/timestamp.json",
            with: [UInt8](repeating: 0x20, count: client.limits.timestampBytes + 1))
        client.limits.timestampBytes = repository.mirror.file("timestamp.json").count
        try await client.refresh()
    }

    @Test func `trusting another root makes the files of the first one void`() async throws {
        let first = try await TestClient(TestRepository())
        try await first.refresh()
        var other = TestRepository()
        other.authority = [
            .root: ([SigningKey(50)], 1), .timestamp: ([SigningKey(51)], 1), .snapshot: ([SigningKey(52)], 1),
            .targets: ([SigningKey(53)], 1),
        ]
        other.targets = ["other.bin": ([1], nil)]
        other.publish()
        try await first.store.trust(try TrustedRoot(other.rootFile))
        let now = first.now
        let contents = try await CatalogueUpdater(store: first.store, mirror: other.mirror, now: { now }).refresh()
        #expect(contents.targets.targets.map(\.path) == ["other.bin"])
    }

    @Test func `the trusted root can be shown`() async throws {
        let client = try await TestClient(TestRepository())
        let root = try client.store.trustedRoot()
        #expect(root.bytes == client.stored(.root))
        #expect(root.fingerprint == sha256(root.bytes))
        #expect(root.threshold(of: .root) == 2)
        let keys = root.keys.filter { $0.role == .root }
        #expect(keys.map(\.keyID) == ["key-1", "key-2", "key-3"])
        #expect(keys.map(\.fingerprint) == (1...3).map { sha256(SigningKey($0).publicKey) })
        #expect(keys.map(\.scheme) == ["ed25519", "ed25519", "ed25519"])
        let empty = CatalogueStore(folder: client.folder.path + "/none")
        #expect(throws: CatalogueError.noTrustedRoot(folder: empty.folder)) { try empty.trustedRoot() }
    }

    @Test(arguments: ["", "{}", "[]", #"{"signed":{},"signatures":[]}"#])
    func `a file that is no root is not trusted`(text: String) {
        #expect {
            try TrustedRoot(Array(text.utf8))
        } throws: { error in
            if case .untrusted(file: "root.json", _, _) = error as? CatalogueError { true } else { false }
        }
    }

    @Test func `targets metadata is not a root`() throws {
        let repository = TestRepository()
        #expect(
            throws: CatalogueError.untrusted(file: "root.json", .wrongType(expected: .root, actual: "targets"))
        ) { try TrustedRoot(repository.sign(repository.targetsPart, as: .root)) }
    }

    @Test func `a root that its own keys have not signed often enough is not trusted`() {
        let repository = TestRepository()
        #expect(
            throws: CatalogueError.untrusted(
                file: "root.json", .tooFewSignatures(of: .root, valid: 1, threshold: 2))
        ) { try TrustedRoot(signed(repository.rootPart, by: [SigningKey(1)])) }
    }
}

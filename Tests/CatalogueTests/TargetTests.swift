import DurableFiles
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import Catalogue

@Suite struct TargetTests {
    private struct Fixture {
        let client: TestClient
        let contents: CatalogueContents
        let repository: TestRepository
        let image = (0..<2500).map { UInt8(truncatingIfNeeded: $0) }

        init(path: String = "s3/1.5.0/image.bin", _ change: (inout TestRepository) -> Void = { _ in }) async throws {
            var repository = TestRepository()
            repository.targets = [path: (image, nil)]
            change(&repository)
            self.repository = repository
            client = try await TestClient(repository)
            contents = try await client.refresh()
            _ = repository.mirror.takeRequests()
        }

        var target: Target { contents.targets.targets[0] }
        var source: TargetSource { TargetSource(contents, mirror: client.mirror, cache: client.cache) }
        var servedPath: String { repository.servedPath(target.path.string, image) }

        func failure() async -> CatalogueError? {
            do throws(CatalogueError) {
                _ = try await source.contents(of: target)
                return nil
            } catch {
                return error
            }
        }

        var cachedFiles: [String] {
            get throws {
                guard let listing = opendir(client.cache.folder) else { return [] }
                defer { closedir(listing) }
                var names: [String] = []
                while let entry = readdir(listing) {
                    names.append(
                        withUnsafeBytes(of: &entry.pointee.d_name) {
                            String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
                        })
                }
                return names.filter { !$0.hasPrefix(".") }
            }
        }
    }

    @Test func `a target is fetched once, under the name with its hash, and verified`() async throws {
        let fixture = try await Fixture()
        #expect(try await fixture.source.contents(of: fixture.target) == fixture.image)
        #expect(try await fixture.source.contents(of: fixture.target) == fixture.image)
        let hash = sha256(fixture.image)
        #expect(fixture.repository.mirror.takeRequests() == ["s3/1.5.0/\(hash).image.bin"])
        #expect(try fixture.cachedFiles == [hash])
    }

    @Test func `progress ends at the length of the target`() async throws {
        let fixture = try await Fixture()
        let seen = Mutex<[Int]>([])
        _ = try await fixture.source.contents(of: fixture.target) { count in seen.withLock { $0.append(count) } }
        #expect(seen.withLock { $0 } == [1000, 2000, 2500])
    }

    @Test func `wrong hash: one changed bit`() async throws {
        let fixture = try await Fixture()
        var changed = fixture.image
        changed[1234] ^= 1
        fixture.repository.mirror.put(fixture.servedPath, changed)
        #expect(
            await fixture.failure() == .untrusted(file: "s3/1.5.0/image.bin", .wrongHash(algorithm: "sha256")))
        #expect(try fixture.cachedFiles == [])
    }

    @Test func `wrong length: one byte too few`() async throws {
        let fixture = try await Fixture()
        fixture.repository.mirror.put(fixture.servedPath, fixture.image.dropLast())
        #expect(
            await fixture.failure()
                == .untrusted(file: "s3/1.5.0/image.bin", .wrongLength(expected: 2500, actual: 2499)))
        #expect(try fixture.cachedFiles == [])
    }

    @Test func `wrong length: one byte too many`() async throws {
        let fixture = try await Fixture()
        fixture.repository.mirror.put(fixture.servedPath, fixture.image + [0])
        #expect(await fixture.failure() == .untrusted(file: "s3/1.5.0/image.bin", .tooLarge(limit: 2500)))
        #expect(try fixture.cachedFiles == [])
    }

    @Test func `a target that cannot be had is unreachable`() async throws {
        let fixture = try await Fixture()
        fixture.repository.mirror.put(fixture.servedPath, nil)
        #expect(await fixture.failure() == .unreachable(file: "s3/1.5.0/image.bin", .notFound))
        #expect(try fixture.cachedFiles == [])
    }

    @Test func `a damaged file in the cache is fetched again`() async throws {
        let fixture = try await Fixture()
        _ = try await fixture.source.contents(of: fixture.target)
        try DurableFile.replace("\(fixture.client.cache.folder)/\(sha256(fixture.image))", with: [1, 2, 3])
        #expect(try await fixture.source.contents(of: fixture.target) == fixture.image)
        #expect(fixture.repository.mirror.takeRequests().count == 2)
    }

    @Test func `a listed length beyond the limit is refused before a request`() async throws {
        let fixture = try await Fixture()
        var limits = CatalogueLimits()
        limits.targetBytes = 2499
        let source = TargetSource(
            fixture.contents, mirror: fixture.client.mirror, cache: fixture.client.cache, limits: limits)
        await #expect(throws: CatalogueError.untrusted(file: "s3/1.5.0/image.bin", .tooLarge(limit: 2499))) {
            try await source.contents(of: fixture.target)
        }
        #expect(fixture.repository.mirror.takeRequests() == [])
    }

    @Test(arguments: ["../image.bin", "a/../image.bin", "/image.bin", "a//image.bin", "./image.bin", "a/..", "a/"])
    func `a path that leads elsewhere is refused before a request`(path: String) async throws {
        var repository = TestRepository()
        repository.targets = [:]
        repository.edit[.targets] = { part in
            let entry: JSONValue = ["length": 1, "hashes": ["sha256": "00"]]
            return part.setting("targets", to: .members([(path, entry)]))
        }
        let client = try await TestClient(repository)
        let contents = try await client.refresh()
        _ = repository.mirror.takeRequests()
        let source = TargetSource(contents, mirror: client.mirror, cache: client.cache)
        await #expect(throws: CatalogueError.untrusted(file: path, .unsafePath)) {
            try await source.contents(of: contents.targets.targets[0])
        }
        #expect(repository.mirror.takeRequests() == [])
    }

    @Test func `a hash of an unknown algorithm is refused before a request`() async throws {
        let fixture = try await Fixture { repository in
            repository.edit[.targets] = { part in
                part.setting("targets", to: ["a.bin": ["length": 1, "hashes": ["blake2b": "00"]]])
            }
        }
        #expect(await fixture.failure() == .untrusted(file: "a.bin", .unknownHashAlgorithm("blake2b")))
        #expect(fixture.repository.mirror.takeRequests() == [])
    }

    @Test func `every listed hash has to be right, and SHA-256 names the file`() async throws {
        let image = Array("image".utf8)
        let wrong = String(repeating: "0", count: 128)
        var repository = TestRepository()
        repository.edit[.targets] = { part in
            let hashes: JSONValue = [
                "sha256": .init(stringLiteral: sha256(image)), "sha512": .init(stringLiteral: wrong),
            ]
            return part.setting("targets", to: ["a/1.bin": ["length": 5, "hashes": hashes]])
        }
        let client = try await TestClient(repository)
        let contents = try await client.refresh()
        let source = TargetSource(contents, mirror: client.mirror, cache: client.cache)
        await #expect(throws: CatalogueError.untrusted(file: "a/1.bin", .wrongHash(algorithm: "sha512"))) {
            try await source.contents(of: contents.targets.targets[0])
        }
        #expect(repository.mirror.takeRequests().last == "a/\(sha256(image)).1.bin")
    }

    @Test func `the cache keeps to its bounds, and the target in use stays`() async throws {
        var repository = TestRepository()
        repository.targets = [:]
        for number in 1...4 as ClosedRange<UInt8> { repository.targets["s3/\(number)"] = ([number], nil) }
        var client = try await TestClient(repository)
        client.limits.cacheFiles = 2
        let contents = try await client.refresh()
        let other = client.cache.folder + "/notes"
        let source = TargetSource(contents, mirror: client.mirror, cache: client.cache)
        for number in 1...4 as ClosedRange<UInt8> {
            #expect(try await source.contents(of: contents.target(at: UTF8Text("s3/\(number)"))) == [number])
            try DurableFile.replace(other, with: [0])
        }
        let kept = try (1...4 as ClosedRange<UInt8>).filter { number in
            try client.cache.contents(of: contents.target(at: UTF8Text("s3/\(number)"))) != nil
        }
        #expect(kept.count == 2)
        #expect(kept.contains(4))
        #expect(try ReadableFile.contents(of: other, limit: 10) == [0])
    }

    @Test func `what is no plain file in the cache is as good as none`() async throws {
        let fixture = try await Fixture()
        let path = fixture.client.cache.folder + "/" + sha256(fixture.image)
        try makeFolder(fixture.client.cache.folder)
        for target in ["/dev/zero", path] {
            #expect(symlink(target, path) == 0)
            #expect(try await fixture.source.contents(of: fixture.target) == fixture.image)
            #expect(unlink(path) == 0)
        }
    }

    @Test func `no such target is named`() async throws {
        let fixture = try await Fixture()
        #expect(throws: CatalogueError.noSuchTarget(path: "none")) { try fixture.contents.target(at: "none") }
    }

    @Test func `a copy is of a target's bytes, with its file removed or named anew meanwhile`() async throws {
        let fixture = try await Fixture()
        let file = try await fixture.source.open(fixture.target)
        #expect(unlink(file.path) == 0)
        try fixture.target.copy(file, to: fixture.client.folder.path + "/copy")
        #expect(try ReadableFile.contents(of: fixture.client.folder.path + "/copy", limit: 5000) == fixture.image)
    }

    @Test func `there is no copy of a file that was written over since, with its time put back`() async throws {
        let fixture = try await Fixture()
        let file = try await fixture.source.open(fixture.target)
        try overwriteKeepingTime(file.path, at: 2000, with: [1])
        let copy = fixture.client.folder.path + "/copy"
        #expect(throws: DurableFileError.failed(.read, path: file.path, errno: ESTALE)) {
            try fixture.target.copy(file, to: copy)
        }
        #expect(access(copy, F_OK) != 0)
    }
}

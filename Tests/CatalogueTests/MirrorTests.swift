import Download
import DurableFiles
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import Catalogue

@Suite(.timeLimit(.minutes(1))) struct MirrorTests {
    /// The repository on a web server; `answer` may answer a path otherwise.
    private func server(
        _ repository: TestRepository,
        answer: @escaping @Sendable (String, LoopbackHTTPServer.Connection) -> Bool? = { _, _ in nil }
    ) -> LoopbackHTTPServer {
        let files = repository.mirror.allFiles
        return LoopbackHTTPServer { path, connection in
            if let isOpen = answer(path, connection) { return isOpen }
            let name = path.drop { $0 == "/" }.drop { $0 != "/" }.dropFirst()
            return files[String(name)].map { connection.reply(200, $0) } ?? connection.reply(404, Array("<html>".utf8))
        }
    }

    private func client(_ repository: TestRepository, _ server: LoopbackHTTPServer) async throws -> TestClient {
        try await TestClient(
            trusting: repository.rootFile, mirror: try HTTPMirror(address: try PermittedURL(server.address)))
    }

    @Test func `a catalogue and its target come over one connection`() async throws {
        let repository = TestRepository()
        repository.publish()
        let server = server(repository)
        let client = try await client(repository, server)
        let contents = try await client.refresh()
        let source = TargetSource(contents, mirror: client.mirror, cache: client.cache)
        let target = try contents.target(at: "a/1.bin")
        #expect(try await source.contents(of: target) == Array("image".utf8))
        #expect(
            server.paths == [
                "/metadata/2.root.json", "/metadata/timestamp.json", "/metadata/1.snapshot.json",
                "/metadata/1.targets.json", "/targets/a/\(sha256(Array("image".utf8))).1.bin",
            ])
        #expect(server.connectionCount == 1)
    }

    @Test func `names outside ASCII and with reserved characters are encoded`() async throws {
        let image: [UInt8] = [1, 2, 3]
        var repository = TestRepository()
        repository.targets = ["ohren ä?/50%#.bin": (image, nil)]
        repository.publish()
        let expected = "/targets/ohren%20%C3%A4%3F/\(sha256(image)).50%25%23.bin"
        let server = server(repository) { $0 == expected ? $1.reply(200, image) : nil }
        let client = try await client(repository, server)
        let contents = try await client.refresh()
        let source = TargetSource(contents, mirror: client.mirror, cache: client.cache)
        #expect(try await source.contents(of: contents.targets.targets[0]) == image)
        #expect(server.paths.last == expected)
    }

    @Test(arguments: [403, 500, 302]) func `a server's refusal is unreachable`(status: Int) async throws {
        let repository = TestRepository()
        repository.publish()
        let server = server(repository) { $0 == "/metadata/2.root.json" ? $1.reply(status, []) : nil }
        let client = try await client(repository, server)
        #expect(
            await client.failure() == .unreachable(file: "2.root.json", .transfer(.httpStatus(status))))
    }

    @Test func `a server that is gone is unreachable`() async throws {
        let repository = TestRepository()
        repository.publish()
        var gone: LoopbackHTTPServer? = server(repository)
        let client = try await client(repository, try #require(gone))
        gone = nil
        #expect(
            await client.failure() == .unreachable(file: "2.root.json", .transfer(.unreachable(.notConnected))))
    }

    @Test func `endless data from a server ends at the limit`() async throws {
        let repository = TestRepository()
        repository.publish()
        let server = server(repository) { path, connection in
            guard path == "/metadata/timestamp.json" else { return nil }
            connection.send("HTTP/1.1 200 OK\r\n\r\n")
            while connection.send([UInt8](repeating: 0x20, count: 4096)) {}
            return false
        }
        let client = try await client(repository, server)
        #expect(await client.failure() == .untrusted(file: "timestamp.json", .tooLarge(limit: 16_384)))
    }

    @Test func `cancelling a refresh ends it and frees the lock`() async throws {
        let repository = TestRepository()
        repository.publish()
        let (arrivals, arrival) = AsyncStream.makeStream(of: Void.self)
        let server = server(repository) { path, connection in
            guard path == "/metadata/timestamp.json" else { return nil }
            arrival.yield()
            return !connection.waitForClose()
        }
        var client = try await client(repository, server)
        client.limits.lockTime = .zero
        let waiting = client
        let task = Task { await waiting.failure() }
        for await _ in arrivals.prefix(1) { task.cancel() }
        #expect(await task.value == .cancelled)
        #expect(await client.failure(.offline) == .notHere(file: "timestamp.json"))
    }

    @Test func `a folder is a mirror like another`() async throws {
        let repository = TestRepository()
        repository.publish()
        let folder = try TemporaryFolder()
        try repository.mirror.write(to: folder.path)
        let client = try await TestClient(trusting: repository.rootFile, mirror: FolderMirror(folder: folder.path))
        let contents = try await client.refresh()
        let source = TargetSource(contents, mirror: client.mirror, cache: client.cache)
        #expect(try await source.contents(of: contents.target(at: "a/1.bin")) == Array("image".utf8))
    }

    @Test func `a folder's files have the same limits, and a pipe among them is not waited for`() async throws {
        let folder = try TemporaryFolder()
        let mirror = FolderMirror(folder: folder.path)
        try makeFolder(folder.path + "/metadata")
        try DurableFile.replace(folder.path + "/metadata/three", with: [1, 2, 3])
        #expect(mkfifo(folder.path + "/metadata/pipe", 0o600) == 0)
        #expect(try await mirror.metadata(named: "three", limit: 3) == [1, 2, 3])
        await #expect(throws: MirrorError.tooLarge(limit: 2)) { try await mirror.metadata(named: "three", limit: 2) }
        await #expect(throws: MirrorError.notFound) { try await mirror.metadata(named: "none", limit: 3) }
        let fault = DurableFileError.failed(.open, path: folder.path + "/metadata/pipe", errno: EINVAL)
        await #expect(throws: MirrorError.folder(fault)) { try await mirror.metadata(named: "pipe", limit: 3) }
    }

    @Test func `a folder that is not there is no catalogue without a newer root`() async throws {
        let folder = try TemporaryFolder()
        let mirror = FolderMirror(folder: folder.path + "/stick")
        let path = folder.path + "/stick/metadata/2.root.json"
        await #expect(throws: MirrorError.folder(.failed(.open, path: path, errno: ENOENT))) {
            try await mirror.metadata(named: "2.root.json", limit: 10)
        }
    }

    @Test(arguments: ["PATH", "file://PATH", "file://localhostPATH", "FILE://PATH", "file:///%74mp/REST"])
    func `a folder is named by a path or by a file URL`(form: String) async throws {
        let folder = try TemporaryFolder()
        try makeFolder(folder.path + "/metadata")
        try DurableFile.replace(folder.path + "/metadata/seven", with: [7])
        let address = form.replacing("PATH", with: folder.path).replacing(
            "REST", with: folder.path.dropFirst("/tmp/".count))
        let mirror = try #require(FolderMirror(address: address))
        #expect(try await mirror.metadata(named: "seven", limit: 1) == [7])
    }

    @Test(arguments: [
        "https://example.org/", "file://example.org/x", "file://", "file:///%zz", "file:///%2", "file:///%00",
        "file:///%ff", "",
    ])
    func `an address of another scheme or host, or a broken one, is no folder`(address: String) {
        #expect((FolderMirror(address: address) as (any Mirror)?) == nil)
    }
}

import Dispatch
import Download
import Glibc
import Synchronization
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct DownloadSessionTests {
    static let limits = TransferLimits(maximumBytes: 1000)

    private func get(
        _ server: LoopbackHTTPServer, _ path: String = "/x", limits: TransferLimits = limits,
        session: DownloadSession = DownloadSession()
    ) async throws(DownloadError) -> [UInt8] {
        try await session.get(try PermittedURL(server.address + path), limits: limits)
    }

    private func outcome(
        of server: LoopbackHTTPServer, limits: TransferLimits = limits
    ) async -> Result<[UInt8], DownloadError> {
        do throws(DownloadError) { return .success(try await get(server, limits: limits)) } catch {
            return .failure(error)
        }
    }

    @Test(arguments: [0, 1, 999, 1000]) func `a body within the limit arrives whole`(count: Int) async throws {
        let body = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
        let server = LoopbackHTTPServer { $1.reply(200, body) }
        #expect(try await get(server) == body)
    }

    @Test func `a body announced as too large is refused`() async {
        let server = LoopbackHTTPServer { $1.reply(200, [UInt8](repeating: 0, count: 1001)) }
        #expect(await outcome(of: server) == .failure(.tooLarge(limit: 1000)))
    }

    @Test func `an endless body without a length ends one byte past the limit`() async {
        let server = LoopbackHTTPServer { _, connection in
            connection.send("HTTP/1.1 200 OK\r\n\r\n")
            while connection.send([UInt8](repeating: 0, count: 4096)) {}
            return false
        }
        #expect(await outcome(of: server) == .failure(.tooLarge(limit: 1000)))
    }

    @Test func `an endless chunked body ends one byte past the limit`() async {
        let server = LoopbackHTTPServer { _, connection in
            connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
            while connection.send("3e8\r\n" + String(repeating: "x", count: 1000) + "\r\n") {}
            return false
        }
        #expect(await outcome(of: server) == .failure(.tooLarge(limit: 1000)))
    }

    @Test(arguments: [204, 206, 301, 302, 403, 404, 500, 503])
    func `a status other than 200 is an error, whatever comes with it`(status: Int) async {
        let server = LoopbackHTTPServer { $1.reply(status, status == 204 ? [] : Array("<html>".utf8)) }
        #expect(await outcome(of: server) == .failure(.httpStatus(status)))
    }

    @Test func `a redirect is not followed`() async {
        let server = LoopbackHTTPServer { $1.reply(302, [], fields: ["Location: /elsewhere"]) }
        #expect(await outcome(of: server) == .failure(.httpStatus(302)))
        #expect(server.paths == ["/x"])
    }

    @Test func `a page of HTML with status 200 is a body like any other`() async throws {
        let page = Array("<html>log in first</html>".utf8)
        let server = LoopbackHTTPServer { $1.reply(200, page, fields: ["Content-Type: text/html"]) }
        #expect(try await get(server) == page)
    }

    @Test func `a long page with an error status stays that error`() async {
        let server = LoopbackHTTPServer { $1.reply(500, [UInt8](repeating: 0x20, count: 100_000)) }
        #expect(await outcome(of: server) == .failure(.httpStatus(500)))
    }

    @Test func `a body cut short is a lost connection`() async {
        let server = LoopbackHTTPServer { _, connection in
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")
            return false
        }
        #expect(await outcome(of: server) == .failure(.unreachable(.connectionLost)))
    }

    @Test func `a connection closed without a reply is lost`() async {
        let server = LoopbackHTTPServer { _, _ in false }
        #expect(await outcome(of: server) == .failure(.unreachable(.connectionLost)))
    }

    @Test func `a reply that is not HTTP is refused`() async {
        let server = LoopbackHTTPServer { _, connection in
            connection.send("hello\r\n")
            return false
        }
        #expect(await outcome(of: server) == .failure(.unreachable(.notHTTP)))
    }

    @Test func `an endless header is refused`() async {
        let server = LoopbackHTTPServer { _, connection in
            connection.send("HTTP/1.1 200 OK\r\n")
            while connection.send("X-More: \(String(repeating: "x", count: 1000))\r\n") {}
            return false
        }
        #expect(await outcome(of: server) == .failure(.unreachable(.notHTTP)))
    }

    @Test func `nobody listening is unreachable`() async throws {
        var server: LoopbackHTTPServer? = LoopbackHTTPServer { $1.reply(200, []) }
        let address = server?.address ?? ""
        server = nil
        await #expect(throws: DownloadError.unreachable(.notConnected)) {
            try await DownloadSession().get(try PermittedURL(address), limits: Self.limits)
        }
    }

    @Test func `a server without TLS is not spoken to as if it had it`() async throws {
        let server = LoopbackHTTPServer { $1.reply(200, []) }
        await #expect(throws: DownloadError.unreachable(.tls)) {
            try await DownloadSession().get(
                try PermittedURL("https://127.0.0.1:\(server.port)/"), limits: Self.limits)
        }
        #expect(server.requests == [])
    }

    @Test func `a server that falls silent stalls`() async {
        let server = LoopbackHTTPServer { _, connection in
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nh")
            return !connection.waitForClose()
        }
        let limits = TransferLimits(maximumBytes: 1000, stallTime: .milliseconds(50))
        #expect(await outcome(of: server, limits: limits) == .failure(.stalled(for: .milliseconds(50))))
    }

    @Test func `a server that drips for ever runs out of the total time`() async {
        let server = LoopbackHTTPServer { _, connection in
            connection.send("HTTP/1.1 200 OK\r\n\r\n")
            while connection.send("x"), !connection.waitForClose(milliseconds: 5) {}
            return false
        }
        let limits = TransferLimits(maximumBytes: 1000, totalTime: .milliseconds(150))
        #expect(await outcome(of: server, limits: limits) == .failure(.timedOut(after: .milliseconds(150))))
    }

    @Test func `cancelling ends a transfer that waits`() async {
        let (arrivals, arrival) = AsyncStream.makeStream(of: Void.self)
        let server = LoopbackHTTPServer { _, connection in
            arrival.yield()
            return !connection.waitForClose()
        }
        let task = Task { await outcome(of: server) }
        for await _ in arrivals.prefix(1) { task.cancel() }
        #expect(await task.value == .failure(.cancelled))
    }

    @Test func `a task that is cancelled already makes no request`() async {
        let server = LoopbackHTTPServer { $1.reply(200, []) }
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await outcome(of: server)
        }
        #expect(await task.value == .failure(.cancelled))
        #expect(server.requests == [])
    }

    @Test func `a receiver that wants no more ends the transfer`() async throws {
        let server = LoopbackHTTPServer { $1.reply(200, [1, 2, 3]) }
        let url = try PermittedURL(server.address)
        await #expect(throws: DownloadError.stoppedByReceiver) {
            try await DownloadSession().get(url, limits: Self.limits) { _ in false }
        }
    }

    @Test func `progress ends at the length of the body`() async throws {
        let server = LoopbackHTTPServer { $1.reply(200, [UInt8](repeating: 1, count: 900)) }
        let seen = Mutex<[Int]>([])
        _ = try await DownloadSession().get(try PermittedURL(server.address), limits: Self.limits) { count in
            seen.withLock { $0.append(count) }
        }
        #expect(seen.withLock { $0 }.last == 900)
        #expect(seen.withLock { $0 == $0.sorted() })
    }

    @Test func `a request carries a host and a neutral agent and nothing else`() async throws {
        let server = LoopbackHTTPServer { $1.reply(200, []) }
        _ = try await get(server)
        #expect(
            server.requests == ["GET /x HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\nUser-Agent: espurr-tools\r\n\r\n"]
        )
    }

    @Test func `one connection serves a session's requests, refusals included`() async throws {
        let server = LoopbackHTTPServer { $0 == "/none" ? $1.reply(404, [1]) : $1.reply(200, []) }
        let session = DownloadSession()
        _ = try await get(server, "/a", session: session)
        await #expect(throws: DownloadError.httpStatus(404)) { try await get(server, "/none", session: session) }
        _ = try await get(server, "/b", session: session)
        #expect(server.paths == ["/a", "/none", "/b"])
        #expect(server.connectionCount == 1)
    }

    @Test func `a session that leaves libcurl for later makes requests all the same`() async throws {
        let server = LoopbackHTTPServer { $1.reply(200, [7]) }
        #expect(try await get(server, session: DownloadSession(loadsLibrary: false)) == [7])
        #expect(DownloadSession.libraryFault() == nil)
    }

    @Test func `after a failure the next transfer has a connection of its own`() async throws {
        let server = LoopbackHTTPServer { path, connection in
            guard path == "/cut" else { return connection.reply(200, [7]) }
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")
            return false
        }
        let session = DownloadSession()
        #expect(try await get(server, session: session) == [7])
        await #expect(throws: DownloadError.unreachable(.connectionLost)) {
            try await get(server, "/cut", session: session)
        }
        #expect(try await get(server, session: session) == [7])
        #expect(server.connectionCount == 2)
    }

    @Test func `what is done between transfers is done on their thread`() async throws {
        let server = LoopbackHTTPServer { $1.reply(200, [7]) }
        let session = DownloadSession()
        let threads = Mutex<[UInt]>([])
        let note = { @Sendable in threads.withLock { $0.append(UInt(pthread_self())) } }
        let url = try PermittedURL(server.address + "/x")
        try await session.besideTransfers {
            for _ in 1...2 {
                try await session.get(url, limits: Self.limits) { _ in
                    note()
                    return true
                }
                note()
            }
        }
        let seen = threads.withLock(\.self)
        #expect(seen.count == 4)
        #expect(Set(seen).count == 1, "\(seen)")
    }

    @Test func `who is beside transfers waits for nobody else's`() async throws {
        let (isAsked, mayAnswer) = (Gate(), DispatchSemaphore(value: 0))
        let server = LoopbackHTTPServer { path, connection in
            guard path == "/slow" else { return connection.reply(200, [7]) }
            isAsked.open()
            mayAnswer.wait()
            return connection.reply(200, [8])
        }
        let session = DownloadSession()
        async let slow = session.besideTransfers { () throws(DownloadError) in
            try await get(server, "/slow", session: session)
        }
        await isAsked.opened()
        let beside = try await session.besideTransfers { () throws(DownloadError) in
            try await get(server, session: session)
        }
        #expect(beside == [7])
        #expect(try await get(server, session: session) == [7])
        mayAnswer.signal()
        #expect(try await slow == [8])
    }

    @Test func `a proxy of the environment is not used for loopback addresses`() async throws {
        setenv("http_proxy", "http://127.0.0.1:1/", 1)
        defer { unsetenv("http_proxy") }
        let server = LoopbackHTTPServer { $1.reply(200, [7]) }
        #expect(try await get(server) == [7])
    }

    @Test func `many transfers run beside one another`() async {
        let server = LoopbackHTTPServer { path, connection in connection.reply(200, Array(path.utf8)) }
        let session = DownloadSession()
        let good = await withTaskGroup(of: Bool.self) { group in
            for index in 0..<16 {
                group.addTask { (try? await get(server, "/\(index)", session: session)) == Array("/\(index)".utf8) }
            }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(good == 16)
    }
}

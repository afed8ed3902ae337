import Download
import Synchronization
import TestSupport
import Testing

@testable import Catalogue

/// A request is made again only where nothing was decided.
@Suite(.timeLimit(.minutes(1))) struct AttemptTests {
    /// A mirror that notes its pauses in place of making them.
    private struct Fixture {
        let mirror: HTTPMirror
        let pauses = Pauses()

        final class Pauses: Sendable {
            let all = Mutex<[Duration]>([])
        }

        init(_ server: LoopbackHTTPServer) throws {
            let pauses = pauses
            mirror = try HTTPMirror(address: try PermittedURL(server.address)) { pause in
                pauses.all.withLock { $0.append(pause) }
            }
        }

        var waited: [Duration] { pauses.all.withLock { $0 } }
    }

    /// Answers with each of these in its turn, the last for good; nil closes the connection.
    private func server(_ answers: [Int?]) -> LoopbackHTTPServer {
        let rest = Mutex(answers[...])
        return LoopbackHTTPServer { _, connection in
            let status = rest.withLock { $0.count > 1 ? $0.removeFirst() : $0[$0.startIndex] }
            return status.map { connection.reply($0, [7]) } ?? false
        }
    }

    @Test(arguments: [[503, 200], [502, 504, 200], [nil, nil, 200]] as [[Int?]])
    func `a lost connection and a gateway's excuse are asked about again`(answers: [Int?]) async throws {
        let server = server(answers)
        let fixture = try Fixture(server)
        #expect(try await fixture.mirror.metadata(named: "x", limit: 10) == [7])
        #expect(server.requests.count == answers.count)
        #expect(fixture.waited == Array([.milliseconds(300), .milliseconds(600)].prefix(answers.count - 1)))
    }

    @Test func `three requests are all`() async throws {
        let server = server([503])
        let fixture = try Fixture(server)
        await #expect(throws: MirrorError.transfer(.httpStatus(503))) {
            try await fixture.mirror.metadata(named: "x", limit: 10)
        }
        #expect(server.requests.count == 3)
    }

    @Test(arguments: [301, 302, 307, 400, 401, 403, 404, 410, 429, 500, 501, 511])
    func `an answer that decides is asked for once`(status: Int) async throws {
        let server = server([status])
        let fixture = try Fixture(server)
        await #expect(throws: MirrorError.self) { try await fixture.mirror.metadata(named: "x", limit: 10) }
        #expect(server.requests.count == 1)
        #expect(fixture.waited == [])
    }

    @Test func `a target of which something came is not asked for again`() async throws {
        let server = LoopbackHTTPServer { _, connection in
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")
            return false
        }
        let fixture = try Fixture(server)
        let received = Mutex(0)
        await #expect(throws: MirrorError.transfer(.unreachable(.connectionLost))) {
            try await fixture.mirror.target(at: ["x"], limit: 100) { bytes in
                received.withLock { $0 += bytes.count }
                return true
            }
        }
        #expect(received.withLock { $0 } == 4)
        #expect(server.requests.count == 1)
    }

    @Test func `a target of which nothing came is asked for again`() async throws {
        let server = server([nil, 503, 200])
        let fixture = try Fixture(server)
        let received = Mutex<[UInt8]>([])
        try await fixture.mirror.target(at: ["x"], limit: 100) { bytes in
            received.withLock { $0 += bytes }
            return true
        }
        #expect(received.withLock { $0 } == [7])
    }

    @Test func `a page past the limit is told as a page, whether its length was announced or not`() async throws {
        let page = [UInt8](repeating: 0x20, count: 100)
        let announced = LoopbackHTTPServer { $1.reply(200, page, fields: ["Content-Type: text/html; charset=utf-8"]) }
        let endless = LoopbackHTTPServer { _, connection in
            connection.send("HTTP/1.1 200 OK\r\ncontent-type: TEXT/HTML\r\n\r\n")
            connection.send(page)
            return false
        }
        for server in [announced, endless] {
            await #expect(throws: MirrorError.webPage) {
                try await Fixture(server).mirror.metadata(named: "x", limit: 10)
            }
        }
    }
}

import TestSupport
import Testing

@testable import Simulator

@Suite struct HTTPRequestTests {
    private func parse(_ text: String) -> HTTPRequest.Outcome { HTTPRequest.parse(Array(text.utf8)) }

    @Test func `a request has method, path and whether the connection stays`() {
        let head = "GET /metadata/timestamp.json HTTP/1.1\r\nHost: x\r\n\r\n"
        let request = HTTPRequest(method: .get, path: "/metadata/timestamp.json", keepsAlive: true)
        #expect(parse(head + "GET") == .request(request, length: head.utf8.count))
    }

    @Test(arguments: [
        ("HTTP/1.1\r\nConnection: close", false), ("HTTP/1.1\r\nconnection: keep-alive", true), ("HTTP/1.0", false),
    ])
    func `HTTP 1_0 and a close end the connection`(rest: String, keepsAlive: Bool) {
        guard case .request(let request, _) = parse("HEAD / \(rest)\r\n\r\n") else {
            Issue.record("no request")
            return
        }
        #expect(request.method == .head)
        #expect(request.keepsAlive == keepsAlive)
    }

    @Test(arguments: [
        ("/a%20b%2Fc", "/a b/c"), ("/x?query=/y", "/x"), ("/targets/1.6.0-rc.1/x.bin", "/targets/1.6.0-rc.1/x.bin"),
    ])
    func `a path is decoded, and a query left out`(target: String, path: String) {
        guard case .request(let request, _) = parse("GET \(target) HTTP/1.1\r\n\r\n") else {
            Issue.record("no request")
            return
        }
        #expect(request.path == path)
    }

    @Test(arguments: [
        ("POST / HTTP/1.1\r\n\r\n", 405), ("GET / HTTP/2\r\n\r\n", 400), ("GET\r\n\r\n", 400),
        ("GET x HTTP/1.1\r\n\r\n", 400), ("GET /%4 HTTP/1.1\r\n\r\n", 400), ("GET /%FF HTTP/1.1\r\n\r\n", 400),
        ("\r\n\r\n", 400), (String(repeating: "x", count: HTTPRequest.headLimit + 1), 431),
    ])
    func `what is no request is refused`(text: String, status: Int) {
        #expect(parse(text) == .refused(status: status))
    }

    @Test(arguments: ["", "GET", "GET / HTTP/1.1\r\n", String(repeating: "x", count: HTTPRequest.headLimit)])
    func `an unfinished head waits for more`(text: String) {
        #expect(parse(text) == .incomplete)
    }

    @Test func `changed bytes never take more than is there`() {
        var random = SeededRandom(seed: 7)
        let head = Array("GET /targets/esp32/1.4.0/a%20b.bin?x HTTP/1.1\r\nConnection: close\r\n\r\n".utf8)
        for _ in 0..<20_000 {
            var bytes = head
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(in: .min ... .max, using: &random)
            }
            if case .request(let request, let length) = HTTPRequest.parse(bytes) {
                #expect(length <= bytes.count)
                #expect(request.path.hasPrefix("/") || request.path.isEmpty)
            }
        }
    }
}

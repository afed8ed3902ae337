import Glibc
import Testing

@testable import Simulator

@Suite(.timeLimit(.minutes(1))) struct LoopbackServerTests {
    private func server() throws -> LoopbackServer {
        try LoopbackServer { path in path == "/a" ? Array("alpha".utf8) : nil }
    }

    /// What comes back for some bytes, until the server closes or `count` bytes are there.
    private func exchange(_ text: String, with server: LoopbackServer, count: Int = .max) -> String {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        address.sin_port = server.port.bigEndian
        let isConnected = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard isConnected, send(descriptor, text, text.utf8.count, Int32(MSG_NOSIGNAL)) == text.utf8.count else {
            return ""
        }
        var received: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while received.count < count {
            let length = recv(descriptor, &buffer, buffer.count, 0)
            guard length > 0 else { break }
            received += buffer[..<length]
        }
        return String(decoding: received, as: UTF8.self)
    }

    private func response(_ status: String, _ body: String, length: Int, _ connection: String) -> String {
        "HTTP/1.1 \(status)\r\nContent-Length: \(length)\r\nContent-Type: application/octet-stream\r\n"
            + "Connection: \(connection)\r\n\r\n\(body)"
    }

    @Test func `requests on one connection are answered in order, and a close ends it`() throws {
        let server = try server()
        let text =
            "GET /a HTTP/1.1\r\n\r\nHEAD /a HTTP/1.1\r\n\r\nGET /b HTTP/1.1\r\nConnection: close\r\n\r\n"
        let expected =
            response("200 OK", "alpha", length: 5, "keep-alive") + response("200 OK", "", length: 5, "keep-alive")
            + response("404 Not Found", "", length: 0, "close")
        #expect(exchange(text, with: server) == expected)
    }

    @Test func `a method that changes something is not allowed`() throws {
        let server = try server()
        let refusal = response("405 Method Not Allowed", "", length: 0, "close")
        #expect(exchange("DELETE /a HTTP/1.1\r\n\r\n", with: server) == refusal)
    }

    @Test func `a body larger than the socket's buffers arrives whole`() throws {
        let body = String(repeating: "0123456789abcdef", count: 1 << 18)
        let server = try LoopbackServer { _ in Array(body.utf8) }
        let answer = exchange("GET / HTTP/1.1\r\nConnection: close\r\n\r\n", with: server)
        #expect(answer.hasSuffix("\r\n\r\n" + body))
    }

    @Test func `nobody listens after the stop`() throws {
        let server = try server()
        server.stop()
        server.stop()
        // The thread ends on its own: until then a connection is taken and closed without an answer.
        #expect(exchange("GET /a HTTP/1.1\r\nConnection: close\r\n\r\n", with: server) == "")
    }
}

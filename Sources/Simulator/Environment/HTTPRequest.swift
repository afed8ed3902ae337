/// The head of a request (RFC 9112), as much of it as a static server needs.
struct HTTPRequest: Hashable, Sendable {
    enum Method: String, Hashable, Sendable {
        case get = "GET"
        case head = "HEAD"
    }

    /// Bytes of a request's head.
    static let headLimit = 8192

    let method: Method
    /// Percent-decoded, without query.
    let path: String
    let keepsAlive: Bool

    enum Outcome: Hashable, Sendable {
        case incomplete
        /// - Parameter length: bytes of the head, to be taken away.
        case request(HTTPRequest, length: Int)
        case refused(status: Int)
    }

    /// Reads the head of the first request in what came so far.
    static func parse(_ bytes: [UInt8]) -> Outcome {
        guard let end = endOfHead(bytes) else {
            return bytes.count > headLimit ? .refused(status: 431) : .incomplete
        }
        let lines = String(decoding: bytes[..<end], as: UTF8.self).split(separator: "\r\n")
        let parts = lines.first?.split(separator: " ", omittingEmptySubsequences: false) ?? []
        guard parts.count == 3, parts[2] == "HTTP/1.1" || parts[2] == "HTTP/1.0" else {
            return .refused(status: 400)
        }
        guard let method = Method(rawValue: String(parts[0])) else { return .refused(status: 405) }
        guard let path = decode(parts[1]) else { return .refused(status: 400) }
        let connection = lines.dropFirst().first { $0.lowercased().hasPrefix("connection:") }?.lowercased()
        let keepsAlive = parts[2] == "HTTP/1.1" && !(connection?.contains("close") ?? false)
        return .request(HTTPRequest(method: method, path: path, keepsAlive: keepsAlive), length: end + 4)
    }

    private static func endOfHead(_ bytes: [UInt8]) -> Int? {
        guard bytes.count >= 4 else { return nil }
        return (0...bytes.count - 4).first { start in
            bytes[start] == 0x0D && bytes[start + 1] == 0x0A && bytes[start + 2] == 0x0D && bytes[start + 3] == 0x0A
        }
    }

    private static func decode(_ target: Substring) -> String? {
        guard target.hasPrefix("/") else { return nil }
        var bytes: [UInt8] = []
        var rest = target.utf8.prefix { $0 != UInt8(ascii: "?") }
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard rest.count >= 2, let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) else {
                return nil
            }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        return String(validating: bytes, as: UTF8.self)
    }
}

/// The head of a response.
struct HTTPResponseHead: Hashable, Sendable {
    let status: Int
    let length: Int
    let type: String
    let keepsAlive: Bool

    var bytes: [UInt8] {
        let reason =
            switch status {
            case 200: "OK"
            case 404: "Not Found"
            case 405: "Method Not Allowed"
            case 431: "Request Header Fields Too Large"
            default: "Bad Request"
            }
        let head = """
            HTTP/1.1 \(status) \(reason)\r
            Content-Length: \(length)\r
            Content-Type: \(type)\r
            Connection: \(keepsAlive ? "keep-alive" : "close")\r
            \r

            """
        return Array(head.utf8)
    }
}

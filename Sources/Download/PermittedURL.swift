import CCurl
import CurlShim

/// An address that this package makes requests to: `https` anywhere, plain `http` only at a literal loopback address
/// (127.0.0.0/8 or `[::1]`); no credentials, query or fragment.
///
/// It is judged by its text (``AddressRule``), and what libcurl's own parser makes of it once more, so that what is judged is
/// what is then asked.
public struct PermittedURL: Hashable, Sendable {
    /// The address as libcurl normalises it.
    public let text: String
    /// Whether the host is a literal loopback address. Such requests never go through a proxy.
    public let isLoopback: Bool

    public init(_ text: String) throws(DownloadError) {
        if let refusal = AddressRule.refusal(of: text) { throw .refusedURL(text: text, refusal) }
        if let fault = DownloadSession.libraryFault() { throw .unreachable(fault) }
        switch Self.judge(text) {
        case .success(let url): self = url
        case .failure(let refusal): throw .refusedURL(text: text, refusal.reason)
        }
    }

    private init(text: String, isLoopback: Bool) {
        self.text = text
        self.isLoopback = isLoopback
    }

    /// The address with a path below it. Each segment is percent-encoded but for the unreserved characters of RFC 3986,
    /// so a segment adds neither a query nor a further level, and what was judged stands.
    ///
    /// - Throws: `refusedURL` for `.` and `..`, which lead elsewhere (RFC 3986, section 5.2.4).
    public func appending(path segments: [[UInt8]]) throws(DownloadError) -> PermittedURL {
        if segments.isEmpty { return self }
        var whole = text
        if whole.utf8.last == UInt8(ascii: "/") { whole.removeLast() }
        for segment in segments { whole += "/" + Self.percentEncoded(segment) }
        let leadsElsewhere = segments.contains { $0.elementsEqual(".".utf8) || $0.elementsEqual("..".utf8) }
        guard !leadsElsewhere else { throw .refusedURL(text: whole, .malformed) }
        return PermittedURL(text: whole, isLoopback: isLoopback)
    }

    /// RFC 3986 section 2.1, with only unreserved characters left as they are.
    public static func percentEncoded(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var encoded: [UInt8] = []
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                encoded.append(byte)
            default:
                encoded += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: encoded, as: UTF8.self)
    }

    private struct Refusal: Error {
        let reason: RefusedURLReason
    }

    private static func judge(_ text: String) -> Result<PermittedURL, Refusal> {
        guard let parts = URLParts(text) else { return .failure(Refusal(reason: .malformed)) }
        guard ["http", "https"].contains(parts.scheme) else { return .failure(Refusal(reason: .scheme)) }
        guard !parts.hasCredentials else { return .failure(Refusal(reason: .credentials)) }
        guard !parts.hasQueryOrFragment else { return .failure(Refusal(reason: .queryOrFragment)) }
        let isLoopback = AddressRule.isLiteralLoopback(parts.host)
        guard parts.scheme == "https" || isLoopback else {
            return .failure(Refusal(reason: .plainHTTPBeyondThisMachine))
        }
        return .success(PermittedURL(text: parts.whole, isLoopback: isLoopback))
    }
}

/// An address taken apart by libcurl.
private struct URLParts {
    let whole: String
    let scheme: String
    let host: String
    let hasCredentials: Bool
    let hasQueryOrFragment: Bool

    init?(_ text: String) {
        guard let handle = curl_shim_url() else { return nil }
        defer { curl_shim_url_cleanup(handle) }
        guard curl_shim_url_set(handle, CURLUPART_URL, text, UInt32(CURLU_NON_SUPPORT_SCHEME)) == CURLUE_OK else {
            return nil
        }
        func part(_ kind: CURLUPart) -> String? {
            var value: UnsafeMutablePointer<CChar>?
            guard curl_shim_url_get(handle, kind, &value, 0) == CURLUE_OK, let value else { return nil }
            defer { curl_shim_free(value) }
            return String(cString: value)
        }
        guard let whole = part(CURLUPART_URL), let scheme = part(CURLUPART_SCHEME) else { return nil }
        self.whole = whole
        self.scheme = scheme
        host = part(CURLUPART_HOST) ?? ""
        hasCredentials = part(CURLUPART_USER) != nil || part(CURLUPART_PASSWORD) != nil
        hasQueryOrFragment =
            part(CURLUPART_QUERY) != nil || part(CURLUPART_FRAGMENT) != nil
            || part(CURLUPART_ZONEID) != nil || text.contains("?") || text.contains("#")
    }
}

import Testing

@testable import Download

@Suite struct PermittedURLTests {
    @Test(arguments: [
        "https://example.org/ears", "https://127.0.0.1/x", "http://127.0.0.1:8080/x", "http://127.255.255.254/",
        "http://[::1]:1/", "HTTPS://EXAMPLE.ORG/",
        "https://xn--ohren-mnchen-0db.example./", "https://my_mirror.example:8443/", "https://192.0.2.1/",
    ])
    func `https anywhere and plain http at literal loopback addresses are permitted`(text: String) throws {
        _ = try PermittedURL(text)
        #expect(AddressRule.refusal(of: text) == nil)
    }

    @Test(arguments: [
        ("http://example.org/", RefusedURLReason.plainHTTPBeyondThisMachine),
        ("http://localhost/", .plainHTTPBeyondThisMachine),
        ("http://127.0.0.1.example.org/", .plainHTTPBeyondThisMachine),
        ("http://128.0.0.1/", .plainHTTPBeyondThisMachine),
        ("http://0.0.0.0/", .plainHTTPBeyondThisMachine),
        ("http://[::ffff:127.0.0.1]/", .plainHTTPBeyondThisMachine),
        ("http://[fe80::1]/", .plainHTTPBeyondThisMachine),
        ("http://127.0.0.-0/", .plainHTTPBeyondThisMachine),
        ("file:///etc/hostname", .scheme),
        ("ftp://127.0.0.1/", .scheme),
        ("gopher://127.0.0.1/", .scheme),
        ("https://user:secret@example.org/", .credentials),
        ("http://127.0.0.1@example.org/", .credentials),
        ("https://example.org/?who=me", .queryOrFragment),
        ("https://example.org/#part", .queryOrFragment),
        ("https://example.org/?", .queryOrFragment),
        ("example.org", .malformed),
        ("", .malformed),
        ("https://", .malformed),
        ("https://example.org/a b", .malformed),
        ("https://example.org/\r\nHost: other", .malformed),
        ("bogus://", .scheme),
        ("bogus://example.org/", .scheme),
        ("://example.org/", .malformed),
        ("https:///path", .malformed),
        ("https://:443/", .malformed),
        ("https://example.org:port/", .malformed),
        ("https://example.org:70000/", .malformed),
        ("https://[::1/", .malformed),
        ("https://[::1]x/", .malformed),
        ("https://exa<mple.org/", .malformed),
        ("http://127.1/", .plainHTTPBeyondThisMachine),
        ("http://0x7f.0.0.1/", .plainHTTPBeyondThisMachine),
        ("http://%31%32%37.0.0.1/", .hostName),
        ("https://ohren.m\u{FC}nchen.example/", .hostName),
        ("https://\u{440}\u{444}/", .hostName),
        ("https://\u{FF11}27.0.0.1/", .hostName),
        ("https://firmware\u{3002}example/", .hostName),
        ("https://xn--%C3%BC.example/", .hostName),
        ("https://firmware..example/", .hostName),
        ("https://./", .hostName),
        ("https://fir,ware.example/", .hostName),
        ("https://" + String(repeating: "a", count: 64) + ".example/", .hostName),
        ("https://" + String(repeating: "a.", count: 126) + "aa/", .hostName),
        ("https:firmware.example", .malformed),
        ("https:/firmware.example/", .malformed),
    ])
    func `anything else is refused with its reason, by its text alone`(text: String, reason: RefusedURLReason) {
        #expect(AddressRule.refusal(of: text) == reason)
        #expect(throws: DownloadError.refusedURL(text: text, reason)) { try PermittedURL(text) }
    }

    @Test func `a path is appended segment by segment with everything but unreserved characters encoded`() throws {
        let base = try PermittedURL("https://example.org/ears/")
        let segments = ["../x", "ä?#%", "a b~-_."].map { Array($0.utf8) }
        let text = try base.appending(path: segments).text
        #expect(text == "https://example.org/ears/..%2Fx/%C3%A4%3F%23%25/a%20b~-_.")
    }

    @Test func `only a loopback address is one`() throws {
        #expect(try PermittedURL("https://[::1]/").isLoopback)
        #expect(try !PermittedURL("https://example.org/").isLoopback)
    }
}

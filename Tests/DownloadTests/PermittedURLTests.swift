import TestSupport
import Testing

@testable import Download

@Suite struct PermittedURLTests {
    /// Labels of one character, so many, with a dot behind each.
    private static let labels = String(repeating: "a.", count: 126)
    private static let longestLabel = String(repeating: "a", count: 63)

    static let permitted: [String] = [
        "https://example.org/ears", "https://127.0.0.1/x", "http://127.0.0.1:8080/x", "http://127.255.255.254/",
        "http://[::1]:1/", "HTTPS://EXAMPLE.ORG/",
        "https://xn--ohren-mnchen-0db.example./", "https://my_mirror.example:8443/", "https://192.0.2.1/",
        "https://x.example:1/", "https://x.example:65535/", "https://x.example:0443/", "https://x.example:/",
        "https://x.example/%20%C3%a4", "https://[2001:db8::1]:443/", "https://[::ffff:192.0.2.1]/",
        "https://4you.example/", "https://192.0.2.1.example/", "https://x.0xg/", "https://dead.beef/",
        "https://\(longestLabel).example/",
        "https://\(labels)a/",
        "https://\(labels)a./",
    ]

    @Test(arguments: permitted)
    func `https anywhere and plain http at literal loopback addresses are permitted`(text: String) throws {
        _ = try PermittedURL(text)
        #expect(AddressRule.refusal(of: text) == nil)
    }

    static let refused: [(String, RefusedURLReason)] = [
        ("http://example.org/", .plainHTTPBeyondThisMachine),
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
        ("https://example.org/a b", .forbiddenCharacter(.path)),
        ("https://example.org/\r\nHost: other", .forbiddenCharacter(.path)),
        ("bogus://", .scheme),
        ("bogus://example.org/", .scheme),
        ("://example.org/", .malformed),
        ("https:///path", .malformed),
        ("https://:443/", .malformed),
        ("https://example.org:port/", .port),
        ("https://example.org:70000/", .port),
        ("https://example.org:0/", .port), ("https://example.org:000/", .port), ("https://[::1]:0/", .port),
        ("https://example.org:65536/", .port), ("https://example.org:+80/", .port),
        ("https://example.org:-1/", .port), ("https://example.org:\u{FF18}0/", .port),
        ("https://example.org:80:80/", .malformed),
        ("https://example.org/%zz", .brokenEscape), ("https://example.org/%", .brokenEscape),
        ("https://example.org/a%2", .brokenEscape), ("https://example.org/%2/%20", .brokenEscape),
        ("file:///stick/%zz", .brokenEscape),
        ("https://example.org/%%20", .brokenEscape), ("https://example.org/%+1", .brokenEscape),
        ("https://999.1.1.1/", .ipv4Address), ("https://1.2.3/", .ipv4Address), ("https://1.2.3.4.5/", .ipv4Address),
        ("https://256.0.0.1/", .ipv4Address), ("https://2130706433/", .ipv4Address), ("https://0/", .ipv4Address),
        ("https://0x7f000001/", .ipv4Address), ("https://0x/", .ipv4Address), ("https://x.0XF/", .ipv4Address),
        ("https://192.0.2.1./", .ipv4Address), ("https://192.0.2.01/", .ipv4Address),
        ("https://firmware.1/", .ipv4Address), ("http://127.0.0.01/", .ipv4Address),
        ("https://[::1/", .ipv6Address), ("https://[]/", .ipv6Address), ("https://[:::1]/", .ipv6Address),
        ("https://[1.2.3.4]/", .ipv6Address), ("https://[1:2:3:4:5:6:7:8:9]/", .ipv6Address),
        ("https://[g::1]/", .ipv6Address), ("https://[fe80::1%25eth0]/", .ipv6Address),
        ("https://[example.org]/", .ipv6Address), ("https://2001:db8::1/", .ipv6Address),
        ("https://[[::1]]/", .malformed),
        ("https://[::1]x/", .malformed),
        ("https://exa<mple.org/", .forbiddenCharacter(.elsewhere)),
        ("https://example.org/\u{7F}", .forbiddenCharacter(.elsewhere)),
        (" https://example.org/", .forbiddenCharacter(.elsewhere)),
        ("https://example.org/ ", .forbiddenCharacter(.elsewhere)),
        ("https://example.org\\ears", .forbiddenCharacter(.elsewhere)),
        ("http://127.1/", .ipv4Address),
        ("http://0x7f.0.0.1/", .ipv4Address),
        ("http://%31%32%37.0.0.1/", .hostName),
        ("https://ohren.m\u{FC}nchen.example/", .hostNotASCII),
        ("https://\u{440}\u{444}/", .hostNotASCII),
        ("https://\u{FF11}27.0.0.1/", .hostNotASCII),
        ("https://firmware\u{3002}example/", .hostNotASCII),
        ("https://xn--%C3%BC.example/", .hostName),
        ("https://firmware..example/", .emptyLabel), ("https://./", .emptyLabel), ("https://../", .emptyLabel),
        ("https://..", .emptyLabel), ("https://.example/", .emptyLabel), ("https://example../", .emptyLabel),
        ("https://%zz/", .hostName),
        ("https://fir,ware.example/", .hostName),
        ("https://a\(longestLabel).example/", .longLabel),
        ("https://\(labels)aa/", .longHost),
        ("https://\(labels)aa./", .longHost),
        ("https:firmware.example", .malformed),
        ("https:/firmware.example/", .malformed),
    ]

    @Test(arguments: refused)
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

    @Test(arguments: [
        "https://example.org", "https://example.org/ears/", "http://127.0.0.1:8080/a%20b", "http://[::1]/",
    ])
    func `an address with a path below it is the one that libcurl makes of it`(base: String) throws {
        let base = try PermittedURL(base)
        var random = SeededRandom(seed: 7)
        for _ in 0..<500 {
            let segments = (0...Int.random(in: 0...3, using: &random)).map { _ in
                (0..<Int.random(in: 0...12, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
            }
            guard !segments.contains(where: { [".", ".."].contains(String(decoding: $0, as: UTF8.self)) }) else {
                continue
            }
            let url = try base.appending(path: segments)
            #expect(try PermittedURL(url.text) == url)
        }
    }

    @Test(arguments: [".", ".."]) func `a segment that leads elsewhere is refused`(segment: String) throws {
        let base = try PermittedURL("https://example.org/ears")
        #expect(throws: DownloadError.refusedURL(text: "https://example.org/ears/\(segment)", .malformed)) {
            try base.appending(path: [Array(segment.utf8)])
        }
    }

    @Test func `only a loopback address is one`() throws {
        #expect(try PermittedURL("https://[::1]/").isLoopback)
        #expect(try !PermittedURL("https://example.org/").isLoopback)
    }
}

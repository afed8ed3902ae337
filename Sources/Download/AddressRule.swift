/// What an address has to be, by its text alone (RFC 3986, section 3): judged before libcurl is asked for anything, and
/// where there is none.
///
/// Where there is one, its parser reads the address after this, and what it refuses beyond this is refused too.
enum AddressRule {
    /// Nil where nothing speaks against it.
    static func refusal(of text: String) -> RefusedURLReason? {
        guard !text.utf8.contains(where: isForbidden), let mark = text.firstRange(of: "://"),
            isScheme(text[..<mark.lowerBound])
        else { return .malformed }
        let scheme = text[..<mark.lowerBound].lowercased()
        guard ["http", "https"].contains(scheme) else { return .scheme }
        let rest = text[mark.upperBound...]
        let authority = rest.prefix { !"/?#".contains($0) }
        guard !authority.contains("@") else { return .credentials }
        guard let host = host(of: authority) else { return .malformed }
        guard host.first == "[" || isName(host) else { return .hostName }
        guard !rest.contains(where: { $0 == "?" || $0 == "#" }) else { return .queryOrFragment }
        return scheme == "https" || isLiteralLoopback(host) ? nil : .plainHTTPBeyondThisMachine
    }

    /// 127.0.0.0/8, dotted and in full, or `[::1]`.
    static func isLiteralLoopback(_ host: some StringProtocol) -> Bool {
        let octets = host.split(separator: ".", omittingEmptySubsequences: false)
        let isDotted = octets.count == 4 && octets.allSatisfy { $0.allSatisfy(\.isNumber) && UInt8($0) != nil }
        return host == "[::1]" || (isDotted && octets[0] == "127")
    }

    /// A name as DNS carries it (RFC 1123, section 2.1; `_` is met in the wild), or an address with dots. What has other
    /// letters has a form of these too (RFC 5890, `xn--`), and whether a libcurl knows it by itself differs.
    private static func isName(_ host: Substring) -> Bool {
        let labels = (host.last == "." ? host.dropLast() : host).utf8.split(
            separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return host.utf8.count <= longestName
            && labels.allSatisfy { (1...longestLabel).contains($0.count) && $0.allSatisfy(isOfLabel) }
    }

    /// Bytes (RFC 1035, section 2.3.4).
    private static let longestName = 253
    private static let longestLabel = 63

    private static func isOfLabel(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    /// Spaces, controls, and what no part of an address has.
    private static func isForbidden(_ byte: UInt8) -> Bool {
        byte <= 0x20 || byte == 0x7F || #""<>\^`{|}"#.utf8.contains(byte)
    }

    private static func isScheme(_ text: Substring) -> Bool {
        text.first.map { $0.isASCII && $0.isLetter } ?? false
            && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) }
    }

    /// Without its port; nil for one that is empty or none.
    private static func host(of authority: Substring) -> Substring? {
        let isLiteral = authority.first == "["
        guard let end = isLiteral ? authority.firstIndex(of: "]") : authority.lastIndex(of: ":") ?? authority.endIndex
        else { return nil }
        let host = isLiteral ? authority[...end] : authority[..<end]
        let port = isLiteral ? authority[end...].dropFirst() : authority[end...]
        guard port.isEmpty || port == ":" || port.first == ":" && UInt16(port.dropFirst()) != nil else { return nil }
        let inner = isLiteral ? host.dropFirst().dropLast() : host
        let isAddress = { (character: Character) in character.isHexDigit || character == ":" || character == "." }
        guard !inner.isEmpty, isLiteral ? inner.allSatisfy(isAddress) : !inner.contains(where: { "[]:".contains($0) })
        else { return nil }
        return host
    }
}

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
        guard !rest.contains(where: { $0 == "?" || $0 == "#" }) else { return .queryOrFragment }
        return scheme == "https" || isLiteralLoopback(host) ? nil : .plainHTTPBeyondThisMachine
    }

    /// 127.0.0.0/8, dotted and in full, or `[::1]`.
    static func isLiteralLoopback(_ host: some StringProtocol) -> Bool {
        let octets = host.split(separator: ".", omittingEmptySubsequences: false)
        let isDotted = octets.count == 4 && octets.allSatisfy { $0.allSatisfy(\.isNumber) && UInt8($0) != nil }
        return host == "[::1]" || (isDotted && octets[0] == "127")
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

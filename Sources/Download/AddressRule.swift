/// What an address has to be, by its text alone (RFC 3986, section 3): judged before libcurl is asked for anything, and
/// where there is none.
///
/// Where there is one, its parser reads the address after this, and what it refuses beyond this is refused too.
enum AddressRule {
    /// Nil where nothing speaks against it.
    static func refusal(of text: String) -> RefusedURLReason? {
        guard let mark = text.firstRange(of: "://") else {
            return text.lowercased().hasPrefix("file:") ? .fileElsewhere : .malformed
        }
        if let place = placeOfForbidden(in: text, after: mark.upperBound) { return .forbiddenCharacter(place) }
        guard isScheme(text[..<mark.lowerBound]) else { return .malformed }
        let scheme = text[..<mark.lowerBound].lowercased()
        let rest = text[mark.upperBound...]
        // A folder's address that is none for its escapes alone.
        if scheme == "file", !hasWholeEscapes(rest) { return .brokenEscape }
        if scheme == "file", !rest.hasPrefix("/") { return .fileElsewhere }
        guard ["http", "https"].contains(scheme) else { return .scheme }
        let authority = rest.prefix { !"/?#".contains($0) }
        guard !authority.contains("@") else { return .credentials }
        guard let (host, port) = HostRule.parts(of: authority) else { return .malformed }
        if let refusal = HostRule.refusal(of: host) { return refusal }
        guard isPort(port) else { return .port }
        guard !rest.contains(where: { $0 == "?" || $0 == "#" }) else { return .queryOrFragment }
        guard hasWholeEscapes(rest) else { return .brokenEscape }
        return scheme == "https" || isLiteralLoopback(host) ? nil : .plainHTTPBeyondThisMachine
    }

    /// 127.0.0.0/8, dotted and in full, or `[::1]`.
    static func isLiteralLoopback(_ host: some StringProtocol) -> Bool {
        host == "[::1]" || (HostRule.isIPv4Address(host) && host.hasPrefix("127."))
    }

    /// Nil where there is none.
    private static func placeOfForbidden(in text: String, after mark: String.Index) -> CharacterPlace? {
        guard text.utf8.contains(where: isForbidden) else { return nil }
        let ends = [text.utf8.first, text.utf8.last].compactMap(\.self)
        let path = text[mark...].drop { !"/?#".contains($0) }
        let head = text[..<path.startIndex]
        return (ends + head.utf8).contains(where: isForbidden) ? .elsewhere : .path
    }

    /// Spaces, controls, and what no part of an address has.
    private static func isForbidden(_ byte: UInt8) -> Bool {
        byte <= 0x20 || byte == 0x7F || #""<>\^`{|}"#.utf8.contains(byte)
    }

    private static func isScheme(_ text: Substring) -> Bool {
        text.first.map { $0.isASCII && $0.isLetter } ?? false
            && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) }
    }

    /// Digits behind the colon, or none (section 3.2.3). Nobody can be asked at port 0 (RFC 6335, section 6).
    private static func isPort(_ port: Substring) -> Bool {
        let digits = port.dropFirst()
        guard !digits.isEmpty else { return true }
        return digits.utf8.allSatisfy(HostRule.isDigit) && (UInt16(digits) ?? 0) > 0
    }

    /// Section 2.1: two hex digits behind each `%`.
    private static func hasWholeEscapes(_ text: Substring) -> Bool {
        text.utf8.split(separator: UInt8(ascii: "%"), omittingEmptySubsequences: false).dropFirst().allSatisfy {
            $0.prefix(2).count == 2 && $0.prefix(2).allSatisfy(HostRule.isHexDigit)
        }
    }
}

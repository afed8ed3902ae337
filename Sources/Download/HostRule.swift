import Glibc

/// What the host of an address has to be, by its text alone (RFC 3986, section 3.2.2).
enum HostRule {
    /// The host, a literal with its brackets, and the port with its colon; nil where there is no host, or the two cannot be
    /// told apart.
    static func parts(of authority: Substring) -> (host: Substring, port: Substring)? {
        if isIPv6Address(authority) { return (authority, "") }
        guard authority.first == "[" else {
            let end = authority.firstIndex(of: ":") ?? authority.endIndex
            let (host, port) = (authority[..<end], authority[end...])
            return host.isEmpty || port.dropFirst().contains(":") ? nil : (host, port)
        }
        guard let end = authority.firstIndex(of: "]") else { return (authority, "") }
        let port = authority[end...].dropFirst()
        return port.isEmpty || port.first == ":" ? (authority[...end], port) : nil
    }

    /// Nil where nothing speaks against it.
    static func refusal(of host: Substring) -> RefusedURLReason? {
        if host.first == "[" || host.contains(":") { return isIPv6Literal(host) ? nil : .ipv6Address }
        guard host.utf8.allSatisfy({ $0 < 0x80 }) else { return .hostNotASCII }
        guard host.utf8.allSatisfy({ isOfLabel($0) || $0 == UInt8(ascii: ".") }) else { return .hostName }
        // One dot more is the root of all names (RFC 1034, section 3.1).
        let name = host.last == "." ? host.dropLast() : host
        let labels = name.split(separator: ".", omittingEmptySubsequences: false)
        guard !labels.contains(where: \.isEmpty) else { return .emptyLabel }
        guard labels.allSatisfy({ $0.utf8.count <= longestLabel }) else { return .longLabel }
        guard name.utf8.count <= longestName else { return .longHost }
        return labels.last.map(isNumber) ?? false && !isIPv4Address(host) ? .ipv4Address : nil
    }

    /// Four numbers from 0 to 255 and nothing else. A zero before one would be read as octal by some, and not by others.
    static func isIPv4Address(_ host: some StringProtocol) -> Bool {
        let octets = host.split(separator: ".", omittingEmptySubsequences: false)
        return octets.count == 4
            && octets.allSatisfy { octet in
                octet.utf8.allSatisfy(isDigit) && UInt8(octet) != nil && (octet.count == 1 || octet.first != "0")
            }
    }

    static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    static func isHexDigit(_ byte: UInt8) -> Bool { Unicode.Scalar(byte).properties.isASCIIHexDigit }

    /// Bytes (RFC 1035, section 2.3.4).
    private static let longestName = 253
    private static let longestLabel = 63

    /// A name as DNS carries it (RFC 1123, section 2.1; `_` is met in the wild). What has other letters has a form of these
    /// too (RFC 5890, `xn--`), and whether a libcurl knows it by itself differs.
    private static func isOfLabel(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    /// What makes a host a number (WHATWG, URL, “ends in a number checker”): no name's last label is one (RFC 3696,
    /// section 2), and who takes short forms of an address does not take them alike.
    private static func isNumber(_ label: Substring) -> Bool {
        if label.utf8.allSatisfy(isDigit) { return true }
        return label.lowercased().hasPrefix("0x") && label.dropFirst(2).utf8.allSatisfy(isHexDigit)
    }

    private static func isIPv6Literal(_ host: Substring) -> Bool {
        host.first == "[" && host.last == "]" && isIPv6Address(host.dropFirst().dropLast())
    }

    private static func isIPv6Address(_ text: Substring) -> Bool {
        var address = in6_addr()
        return inet_pton(AF_INET6, String(text), &address) == 1
    }
}

import CommandLineTools
import Download

/// Why an address is refused, and what would be taken.
extension RefusedURLReason {
    var inWords: String {
        switch self {
        case .malformed: "it is no address"
        case .forbiddenCharacter: "it holds a space, or another character that no address has"
        case .brokenEscape: "a “%” in it has no two hex digits behind it"
        case .hostName, .hostNotASCII: "its host is no name of ASCII letters, digits, “-” and “.”"
        case .emptyLabel: "its host begins with a dot, or has two without anything between them"
        case .longLabel: "a part of its host is longer than 63 characters"
        case .longHost: "its host is longer than 253 characters"
        case .ipv4Address: "its host ends in a number, and is no IPv4 address"
        case .ipv6Address: "its host is no IPv6 address in [ ]"
        case .port: "its port is not a number from 1 to 65535"
        case .fileElsewhere: "a file address names this machine: file:///media/stick"
        case .scheme: "it is neither https nor http"
        case .plainHTTPBeyondThisMachine: "plain http is for literal loopback addresses only"
        case .credentials: "it holds a user name or password"
        case .queryOrFragment: "it holds a query or a fragment"
        }
    }

    /// What would be taken in place of this address.
    func remedy(for address: String) -> String {
        switch self {
        case .malformed, .scheme, .hostName:
            "an https address, as in https://firmware.example/, or a folder's path"
        case .plainHTTPBeyondThisMachine: Self.remedyOfPlainHTTP(for: address)
        case .fileElsewhere: "three slashes and the folder's whole path, or that path alone"
        case .credentials: "leave out the user name and password"
        case .queryOrFragment:
            address.first { "?#".contains($0) }.map { "leave out the part from \($0) on" }
                ?? "leave out what stands behind the path"
        case .emptyLabel: "one dot between two parts, and none before the first, as in https://firmware.example/"
        case .forbiddenCharacter(.elsewhere): "leave the space out, or whatever else it is"
        case .forbiddenCharacter(.path): "an escape stands for such a character in a path: %20 for a space"
        case .brokenEscape: "%25 stands for a “%” itself, %20 for a space"
        case .hostNotASCII: "an https address; a name with other letters has a form of these, which begins with xn--"
        case .longLabel, .longHost: "check the address: no server can have that name"
        case .ipv4Address: "four numbers from 0 to 255, as in https://192.0.2.1/, or a name that does not end in one"
        case .ipv6Address: "brackets around it and no zone, as in https://[2001:db8::1]/"
        case .port: "leave the port out, or name the one that the server has, as in https://firmware.example:8443/"
        }
    }

    /// `localhost` is a name, and where it leads is somebody's decision; what is meant has a literal address.
    private static func remedyOfPlainHTTP(for address: String) -> String {
        let name = "http://localhost"
        let rest = address.dropFirst(name.count)
        guard address.lowercased().hasPrefix(name), rest.isEmpty || ":/".contains(rest.prefix(1)) else {
            return "an https address, or a folder's path"
        }
        return "http://127.0.0.1\(String(rest).printable)"
    }

    /// A password in an address is not to be read in a log, whatever else is wrong with the address.
    func shown(_ address: String) -> String {
        guard let at = address.lastIndex(of: "@") else { return address }
        let start = address.firstRange(of: "://").map(\.upperBound) ?? address.startIndex
        return address[..<min(start, at)] + "…" + address[at...]
    }
}

/// Why a transfer gave no body.
public enum DownloadError: Error, Equatable, Sendable {
    /// The address was refused; no request was made.
    case refusedURL(text: String, RefusedURLReason)
    /// A reply other than 200. Redirects are not followed, so they end here too.
    case httpStatus(Int)
    /// The body, or the length that the server announced for it, passes the limit in bytes.
    case tooLarge(limit: Int)
    /// A body past the limit that is a page of HTML by its `Content-Type`.
    case webPage(limit: Int)
    /// No usable reply came from there.
    case unreachable(UnreachableReason)
    /// The whole transfer took longer than its limit.
    case timedOut(after: Duration)
    /// Nothing arrived for as long as the limit.
    case stalled(for: Duration)
    /// The receiver of the bytes wanted no more of them.
    case stoppedByReceiver
    case cancelled
}

/// What is wrong with an address.
public enum RefusedURLReason: Equatable, Sendable {
    case malformed
    /// A space, a control character, or one of those that RFC 3986 has in no part of an address.
    case forbiddenCharacter(CharacterPlace)
    /// A `%` without two hex digits behind it.
    case brokenEscape
    /// A host that is no name of ASCII letters, digits, `-` and `_`.
    case hostName
    /// A host with letters beyond ASCII.
    case hostNotASCII
    /// A host with nothing between two of its dots, or before the first.
    case emptyLabel
    /// A part of the host of more than 63 characters.
    case longLabel
    /// A host of more than 253 characters.
    case longHost
    /// A host that ends in a number and is not four of them, each from 0 to 255.
    case ipv4Address
    /// A host with a colon that is no IPv6 address in brackets.
    case ipv6Address
    /// A port that is not within 1 to 65535.
    case port
    /// A `file` address that is none of a folder of this machine (RFC 8089).
    case fileElsewhere
    /// Neither `https` nor `http`.
    case scheme
    /// Plain `http` to anything but a literal loopback address.
    case plainHTTPBeyondThisMachine
    /// A user name or password in the address, which would be sent.
    case credentials
    /// A query or a fragment.
    case queryOrFragment
}

/// Where in an address something stands.
public enum CharacterPlace: Equatable, Sendable {
    /// Where an escape can stand for it.
    case path
    /// Before the path, or at either end of the address, where nothing can.
    case elsewhere
}

/// Where a transfer failed on its way.
public enum UnreachableReason: Equatable, Sendable {
    case nameNotResolved
    case proxyNotResolved
    /// Refused, no route, or not connected within the limit.
    case notConnected
    /// The proxy did not connect to the server: its answer to CONNECT.
    case proxyRefused(status: Int)
    /// No TLS connection.
    case tls
    case certificate(CertificateFault)
    /// The certificate authorities of this machine, or those that the environment names, cannot be read.
    case certificateAuthorities
    /// The connection ended, or failed, before the reply was whole.
    case connectionLost
    /// What came is not HTTP, or its header passes `TransferLimits.maximumHeaderBytes`.
    case notHTTP
    /// The system has no thread left for the transfer.
    case noThread
    /// libcurl cannot be loaded, or is older than 7.68.
    case noLibrary(reason: String)
    /// Another failure, by libcurl's `CURLcode`.
    case library(code: Int)
}

/// Why a server's certificate is not to be trusted.
public enum CertificateFault: Equatable, Sendable {
    /// No authority that this machine trusts stands behind it.
    case unknownIssuer
    case otherHost
    case expired
    case notYetValid
    /// Another reason, by the number of libcurl's TLS library: of OpenSSL an `X509_V_ERR`.
    case other(code: Int)
}

extension DownloadError {
    /// Whether the request may be made again at once: nobody decided anything, and it was not waited for long.
    public var decidesNothing: Bool {
        switch self {
        case .unreachable(.connectionLost): true
        case .httpStatus(let status): [502, 503, 504].contains(status)
        default: false
        }
    }
}

/// Whose word counts for a server's certificate: the system's authorities, as libcurl is built to find them, or those
/// that the environment names.
public struct CertificateAuthorities: Hashable, Sendable {
    /// Of PEM certificates.
    public let file: String?
    /// Of PEM certificates under the names of their hashes.
    public let folder: String?

    public static let system = CertificateAuthorities(environment: [:])

    /// The variables that the `curl` command reads, in its order: `CURL_CA_BUNDLE`, else `SSL_CERT_FILE` and
    /// `SSL_CERT_DIR`. An empty one counts as not there.
    public init(environment: [String: String]) {
        func value(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
        let bundle = value("CURL_CA_BUNDLE")
        file = bundle ?? value("SSL_CERT_FILE")
        folder = bundle == nil ? value("SSL_CERT_DIR") : nil
    }
}

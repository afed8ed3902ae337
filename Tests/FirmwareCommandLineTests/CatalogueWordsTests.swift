import Catalogue
import CommandLineTools
import Download
import Testing

@testable import FirmwareCommandLine

/// The file, the version, the time here, and what to do.
@Suite struct CatalogueWordsTests {
    private static let now = UTCTime(secondsSince1970: 1_796_017_096)

    private func failure(_ error: CatalogueError) -> CommandFailure { CommandFailure(error, now: Self.now) }

    @Test func `an unversioned file is told with the version that it says to have`() {
        let failure = failure(
            .untrusted(file: "timestamp.json", version: 7, .tooFewSignatures(of: .timestamp, valid: 0, threshold: 1)))
        #expect(
            failure.cause
                == "the catalogue's timestamp.json (by its own word version 7) is not to be trusted: "
                + "0 of at least 1 keys of “timestamp” have signed it")
        #expect(failure.status == .untrusted)
    }

    @Test func `a signature by a kind of key that does not count is told`() {
        let failure = failure(
            .untrusted(
                file: "2.root.json",
                .tooFewSignatures(of: .root, valid: 0, threshold: 1, unusable: ["ecdsa-sha2-nistp384"])))
        #expect(failure.cause.hasSuffix("; keys of the kind ecdsa-sha2-nistp384 do not count"))
    }

    @Test func `a rollback by listing names the file that would go back`() {
        let failure = failure(
            .untrusted(
                file: "8.snapshot.json", .rollbackListed(file: "targets.json", trusted: 5, actual: 4)))
        #expect(failure.cause.hasSuffix("it lists version 4 of targets.json, older than the trusted 5"))
        #expect(failure.remedy?.contains("try again in ten minutes") == true)
    }

    @Test(arguments: [CertificateFault.expired, .notYetValid])
    func `a certificate whose time it is not is told with this machine's time`(fault: CertificateFault) {
        let failure = failure(.unreachable(file: "2.root.json", .transfer(.unreachable(.certificate(fault)))))
        #expect(failure.status == .catalogueUnreachable)
        #expect(failure.cause.contains("this machine takes it to be \(Self.now)"))
        #expect(failure.remedy?.contains("clock") == true)
    }

    @Test(arguments: [
        (UnreachableReason.certificate(.unknownIssuer), "no authority that this machine trusts", "SSL_CERT_FILE"),
        (.certificate(.otherHost), "it is for another name", "address"),
        (.certificate(.other(code: 66)), "the verdict of libcurl's TLS library is 66", "SSL_CERT_FILE"),
        (
            .noLibrary(reason: "libcurl.so.4 has no curl_url"),
            "libcurl cannot be used: libcurl.so.4 has no curl_url", "libcurl4"
        ),
        (.noThread, "no thread left", "ulimit -u"),
        (.certificateAuthorities, "this machine's authorities cannot be read", "ca-certificates"),
        (.proxyRefused(status: 407), "the proxy answered 407", "https_proxy"),
        (.tls, "no TLS connection", "network"), (.nameNotResolved, "name is not known", "--offline"),
    ])
    func `each way of not getting there has its own words, and is 15`(
        reason: UnreachableReason, words: String, remedy: String
    ) {
        let failure = failure(.unreachable(file: "2.root.json", .transfer(.unreachable(reason))))
        #expect(failure.status == .catalogueUnreachable)
        #expect(failure.cause.contains(words))
        #expect(failure.remedy?.contains(remedy) == true)
    }

    @Test func `a redirect is told as what it is`() {
        let failure = failure(.unreachable(file: "2.root.json", .transfer(.httpStatus(302))))
        #expect(failure.cause.contains("302, which sends elsewhere; that is not followed"))
        #expect(failure.remedy?.contains("espurr-ota trust --address") == true)
    }

    @Test func `a page longer than a file may be is told as a page too`() {
        let failure = failure(.untrusted(file: "timestamp.json", .webPage))
        #expect(failure.status == .untrusted)
        #expect(failure.remedy?.contains("sign in to this network") == true)
    }
}

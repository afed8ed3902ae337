import Catalogue
import CommandLineTools
import Download
import DurableFiles
import Glibc

extension MirrorError {
    func inWords(at now: UTCTime) -> String {
        switch self {
        case .notFound: "there is no such file"
        case .tooLarge(let limit): "it is larger than \(limit) bytes"
        case .webPage: "a page of HTML came in its place"
        case .transfer(let error): error.inWords(at: now)
        case .folder(let fault): "\(fault.path.printable): \(fault.reasonInWords)"
        case .stopped: "the transfer was stopped"
        case .cancelled: CommandFailure.interrupted.cause
        }
    }

    var remedy: String {
        switch self {
        case .notFound: "check the catalogue's address, or wait until its maker has published it whole"
        case .webPage: Distrust.webPage.remedy
        case .folder: "check that the folder is there (a stick that is in, a path that is right) and may be read"
        case .transfer(let error): error.remedy
        default: Self.checkTheNetwork
        }
    }

    fileprivate static let checkTheNetwork =
        "check the network and the catalogue's address; --offline uses what this machine holds"
}

extension DownloadError {
    func inWords(at now: UTCTime) -> String {
        switch self {
        case .refusedURL(let text, let reason): "\(reason.shown(text).printable): \(reason.inWords)"
        case .httpStatus(let status) where (300..<400).contains(status):
            "the server answered \(status), which sends elsewhere; that is not followed"
        case .httpStatus(let status): "the server answered \(status)"
        case .tooLarge(let limit): "it is larger than \(limit) bytes"
        case .webPage: "a page of HTML came in its place"
        case .unreachable(let reason): reason.inWords(at: now)
        case .timedOut(let time): "it took longer than \(time.inWords)"
        case .stalled(let time): "nothing came for \(time.inWords)"
        case .stoppedByReceiver: "the transfer was stopped"
        case .cancelled: CommandFailure.interrupted.cause
        }
    }

    var remedy: String {
        switch self {
        case .httpStatus(511), .webPage: Distrust.webPage.remedy
        case .httpStatus(let status) where (300..<400).contains(status):
            "espurr-ota trust --address URL, with the address that it leads to"
        case .httpStatus(let status) where status >= 500:
            "try again later; --offline uses what this machine holds"
        case .unreachable(let reason): reason.remedy
        default: MirrorError.checkTheNetwork
        }
    }
}

extension UnreachableReason {
    func inWords(at now: UTCTime) -> String {
        switch self {
        case .nameNotResolved: "the server's name is not known"
        case .proxyNotResolved: "the proxy's name is not known"
        case .notConnected: "no connection to the server, or to the proxy that is set"
        case .proxyRefused(let status): "the proxy answered \(status) and does not connect to the server"
        case .tls: "no TLS connection to the server"
        case .certificate(let fault): "the server's certificate is not accepted: \(fault.inWords(at: now))"
        case .certificateAuthorities: "the certificates of this machine's authorities cannot be read"
        case .connectionLost: "the connection was lost"
        case .notHTTP: "the server does not speak HTTP"
        case .noThread: "this machine has no thread left for it"
        case .noLibrary(let reason): "libcurl cannot be used: \(reason.printable)"
        case .library(let code): "libcurl failed (\(code))"
        }
    }

    var remedy: String {
        switch self {
        case .proxyNotResolved, .proxyRefused: "check https_proxy and no_proxy"
        case .certificate(.expired), .certificate(.notYetValid):
            "if the clock is right, the server needs a new certificate; else set the clock"
        case .certificate(.otherHost): "check the catalogue's address, and whether this network wants a sign-in first"
        case .certificate:
            "check whether this network wants a sign-in first; an authority of your own goes into SSL_CERT_FILE"
        case .noThread: FreeThreads.remedy
        case .noLibrary: "install libcurl 7.68 or newer (Debian: libcurl4)"
        case .certificateAuthorities: "install ca-certificates; check SSL_CERT_FILE, SSL_CERT_DIR and CURL_CA_BUNDLE"
        default: MirrorError.checkTheNetwork
        }
    }
}

extension CertificateFault {
    fileprivate func inWords(at now: UTCTime) -> String {
        switch self {
        case .unknownIssuer: "no authority that this machine trusts stands behind it"
        case .otherHost: "it is for another name"
        case .expired: "it has expired; this machine takes it to be \(now.withLocalTime)"
        case .notYetValid: "its time has not begun; this machine takes it to be \(now.withLocalTime)"
        case .other(let code): "the verdict of libcurl's TLS library is \(code)"
        }
    }
}

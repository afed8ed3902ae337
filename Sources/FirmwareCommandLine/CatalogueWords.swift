public import Catalogue
public import CommandLineTools
import Download
import DurableFiles
import Glibc

extension CommandFailure {
    /// What the matter is with the catalogue. "Cannot be reached" (15) and "not to be trusted" (20) are never confused.
    public init(_ error: CatalogueError) {
        switch error {
        case .noTrustedRoot: self = .noRoot
        case .unreachable(let file, let reason):
            self.init(
                .catalogueUnreachable, code: "catalogue_unreachable",
                cause: "the catalogue's \(file.printable) cannot be had: \(reason.inWords)", remedy: reason.remedy)
        case .notHere(let file):
            self.init(
                .catalogueUnreachable, code: "not_here",
                cause: "offline, and this machine holds no copy of \(file.printable)",
                remedy: "once without --offline, or --catalogue DIR")
        case .untrusted(let file, let reason):
            self.init(
                .untrusted, code: "untrusted", cause: "\(file.printable) is not to be trusted: \(reason.inWords)",
                remedy: "do not install from here; tell the catalogue's maker")
        case .expired(let expiry): self.init(expiry)
        case .noSuchTarget(let path):
            self.init(
                .untrusted, code: "no_such_target", cause: "the catalogue lists no \(path.string.printable)")
        case .localState(let fault):
            self.init(
                .outputNotWritable, code: "local_state",
                cause: "the catalogue's state: \(fault.path.printable): \(String(cString: strerror(fault.errno)))",
                remedy: fault.errno == ENOSPC ? "free some space" : nil)
        case .locked(let path):
            self.init(
                .machine, code: "catalogue_locked", cause: "another command is reading the catalogue",
                remedy: "wait until it ends (\(path.printable))")
        case .cancelled: self.init(.cancelled, code: "cancelled", cause: "cancelled")
        }
    }

    private init(_ expiry: Expiry) {
        let lastFresh = expiry.lastRefresh.map { "last fresh here \($0)" } ?? "never fresh here"
        self.init(
            .untrusted, code: "expired",
            cause:
                "the catalogue's \(expiry.role.description.printable).json (version \(expiry.version)) expired \(expiry.expired);"
                + " this machine takes it to be \(expiry.now); \(lastFresh)",
            remedy: "if the clock is right, the catalogue's maker has to sign a new one; else set the clock")
    }

    init(address: String, _ error: DownloadError) {
        let reason =
            switch error {
            case .refusedURL(_, let reason): reason.inWords
            default: "it cannot be used"
            }
        self.init(
            .usage, code: "catalogue_address", cause: "the catalogue's address “\(address.printable)”: \(reason)",
            remedy: "an https address, or a folder's path")
    }
}

extension RefusedURLReason {
    var inWords: String {
        switch self {
        case .malformed: "it is no address"
        case .scheme: "it is neither https nor http"
        case .plainHTTPBeyondThisMachine: "plain http is for literal loopback addresses only"
        case .credentials: "it holds a user name or password"
        case .queryOrFragment: "it holds a query or a fragment"
        }
    }
}

extension MirrorError {
    var inWords: String {
        switch self {
        case .notFound: "there is no such file"
        case .tooLarge(let limit): "it is larger than \(limit) bytes"
        case .transfer(let error): error.inWords
        case .folder(let fault): "\(fault.path.printable): \(String(cString: strerror(fault.errno)))"
        case .stopped: "the transfer was stopped"
        case .cancelled: "cancelled"
        }
    }

    var remedy: String {
        switch self {
        case .notFound: "check the catalogue's address, or wait until its maker has published it whole"
        case .folder: "check the folder"
        default: "check the network and the catalogue's address; --offline uses what this machine holds"
        }
    }
}

extension DownloadError {
    var inWords: String {
        switch self {
        case .refusedURL(let text, let reason): "\(text.printable): \(reason.inWords)"
        case .httpStatus(let status): "the server answered \(status)"
        case .tooLarge(let limit): "it is larger than \(limit) bytes"
        case .unreachable(let reason): reason.inWords
        case .timedOut(let time): "it took longer than \(time.inWords)"
        case .stalled(let time): "nothing came for \(time.inWords)"
        case .stoppedByReceiver: "the transfer was stopped"
        case .cancelled: "cancelled"
        }
    }
}

extension UnreachableReason {
    var inWords: String {
        switch self {
        case .nameNotResolved: "the server's name is not known"
        case .proxyNotResolved: "the proxy's name is not known"
        case .notConnected: "no connection to the server"
        case .tls: "no trustworthy TLS connection to the server"
        case .connectionLost: "the connection was lost"
        case .notHTTP: "the server does not speak HTTP"
        case .library(let code): "libcurl failed (\(code))"
        }
    }
}

extension Distrust {
    var inWords: String {
        switch self {
        case .tooLarge(let limit): "it is larger than \(limit) bytes"
        case .wrongLength(let expected, let actual): "it has \(actual) bytes and not the \(expected) that were signed"
        case .wrongHash(let algorithm): "its \(algorithm.string.printable) is not the one that was signed"
        case .unknownHashAlgorithm(let name): "its hash is of an unknown kind (\(name.string.printable))"
        case .notJSON: "it is not strict JSON"
        case .badField(let name): "its field “\(name.printable)” is missing or malformed"
        case .wrongType(let expected, let actual):
            "it is a “\(actual.string.printable)” and no \(expected.rawValue)"
        case .unknownSpecification(let version): "it follows an unknown specification (\(version.string.printable))"
        case .tooFewSignatures(let role, let valid, let threshold):
            "\(valid) of at least \(threshold) keys of “\(role.description.printable)” have signed it"
        case .duplicateSignature: "a key is named twice among its signatures"
        case .wrongVersion(let expected, let actual): "it is version \(actual) where \(expected) has to be"
        case .rollback(let trusted, let actual): "it is version \(actual), older than the trusted \(trusted)"
        case .vanishedFromSnapshot(let file): "\(file.string.printable) has vanished from it"
        case .missingFromSnapshot(let file): "it does not list \(file.string.printable)"
        case .tooManyRoots(let limit): "more than \(limit) roots follow one another"
        case .tooManyDelegations(let limit): "more than \(limit) delegated roles would have to be asked"
        case .unsafePath: "it has an unsafe path"
        case .cryptography(let operation): "libcrypto failed (\(operation))"
        }
    }
}

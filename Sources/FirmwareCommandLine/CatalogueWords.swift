public import Catalogue
public import CommandLineTools
import Download
import DurableFiles
import Glibc

extension CommandFailure {
    /// What the matter is with the catalogue. "Cannot be reached" (15) and "not to be trusted" (20) are never confused.
    ///
    /// - Parameter now: what this machine takes the time to be, for certificates whose time it is not.
    public init(_ error: CatalogueError, now: UTCTime = .now()) {
        switch error {
        case .noTrustedRoot: self = .noRoot
        case .unreachable(let file, let reason):
            self.init(
                .catalogueUnreachable, code: "catalogue_unreachable",
                cause: "the catalogue's \(file.printable) cannot be had: \(reason.inWords(at: now))",
                remedy: reason.remedy)
        case .notHere(let file):
            self.init(
                .catalogueUnreachable, code: "not_here",
                cause: "offline, and this machine holds no copy of \(file.printable)",
                remedy: "once without --offline, or --catalogue DIR")
        case .untrusted(let file, let version, let reason):
            let saying = version.map { " (by its own word version \($0))" } ?? ""
            self.init(
                .untrusted, code: "untrusted",
                cause: "the catalogue's \(file.printable)\(saying) is not to be trusted: \(reason.inWords)",
                remedy: reason.remedy)
        case .expired(let expiry): self.init(expiry)
        case .noSuchTarget(let path):
            self.init(
                .untrusted, code: "no_such_target", cause: "the catalogue lists no \(path.string.printable)",
                remedy: "espurr-ota list --channel all shows what there is")
        case .localState(let fault):
            self.init(
                .outputNotWritable, code: "local_state",
                cause: "the catalogue's state: \(fault.path.printable): \(fault.reasonInWords)",
                remedy: fault.remedy)
        case .locked(let path):
            self.init(
                .machine, code: "catalogue_locked", cause: "another command is reading the catalogue",
                remedy: "wait until it ends (\(path.printable))")
        case .cancelled: self = .interrupted
        }
    }

    private init(_ expiry: Expiry) {
        let lastFresh = expiry.lastRefresh.map { "last fresh here \($0)" } ?? "never fresh here"
        let file = "\(expiry.role.description.printable).json (version \(expiry.version))"
        self.init(
            .untrusted, code: "expired",
            cause:
                "the catalogue's \(file) expired \(expiry.expired); this machine takes it to be "
                + "\(expiry.now.withLocalTime); \(lastFresh)",
            remedy: "if the clock is right, the catalogue's maker has to sign a new one; else set the clock")
    }

    init(address: String, _ error: DownloadError) {
        let reason: RefusedURLReason = if case .refusedURL(_, let reason) = error { reason } else { .malformed }
        self.init(address: reason.shown(address), reason.inWords, remedy: reason.remedy(for: address))
    }

    init(address: String, _ reason: String, remedy: String) {
        self.init(
            .usage, code: "catalogue_address", cause: "the catalogue's address “\(address.printable)”: \(reason)",
            remedy: remedy)
    }
}

extension UTCTime {
    /// `2026-11-30T05:38:16Z (06:38:16 CET here)`; the clock on the wall is what a person compares with. In UTC once.
    var withLocalTime: String {
        var seconds = time_t(secondsSince1970)
        var parts = tm()
        var text = [CChar](repeating: 0, count: 64)
        guard localtime_r(&seconds, &parts) != nil, parts.tm_gmtoff != 0 || parts.tm_isdst > 0,
            strftime(&text, text.count, "%H:%M:%S %Z", &parts) > 0
        else { return description }
        let local = String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return "\(description) (\(local.printable) here)"
    }
}

extension DurableFileError {
    var reasonInWords: String {
        // A read refuses what is no regular file with EINVAL.
        errno == EINVAL ? "it is no plain file" : String(cString: strerror(errno))
    }

    var remedy: String {
        if let remedy = systemRemedy(errno) { return remedy }
        return switch errno {
        case EINVAL, EISDIR: "remove it: it is made anew"
        case EACCES, EPERM, EROFS:
            "let this user write there, or name other folders by XDG_STATE_HOME and XDG_CACHE_HOME"
        default: "check that path, or name other folders by XDG_STATE_HOME and XDG_CACHE_HOME"
        }
    }
}

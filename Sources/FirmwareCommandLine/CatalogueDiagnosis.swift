import Catalogue
public import CommandLineTools
import Download
public import EarsCommandLine
import Glibc

/// Whether firmware could be had and verified on this machine: is there a root, can the clock be right, and is there a
/// libcurl to ask for anything with. Nothing is fetched.
///
/// A clock that is behind is known by what this machine did later than it says: its last verified refresh of the
/// catalogue, and the building of this program. One that is ahead cannot be told from a catalogue that nobody renewed;
/// a root that has expired by it is named with both.
public struct CatalogueDiagnosis: Sendable {
    /// What a clock may be wrong by without being named: time zones taken for UTC, and files from a build elsewhere.
    static let tolerance: Int64 = 24 * 60 * 60

    /// In the order in which commands meet them.
    public let findings: [Finding]

    public init(_ invocation: Invocation) throws(CommandFailure) {
        self.init(
            directories: try UserDirectories(environment: invocation.environment), now: .now(), built: Self.ownDate,
            libraryFault: DownloadSession.libraryFault())
    }

    /// - Parameters:
    ///   - built: when this program was built, as its file says.
    ///   - libraryFault: why no request can be made here.
    init(directories: UserDirectories, now: UTCTime, built: UTCTime?, libraryFault: UnreachableReason?) {
        var found: [Finding]
        var address: String?
        do throws(CommandFailure) {
            let configuration = try Configuration(directories)
            address = configuration.catalogueAddress
            found = try Self.examine(configuration, directories, now: now, built: built)
        } catch {
            found = Self.clockFindings(now: now, lastRefresh: nil, built: built) + [.obstacle(error)]
        }
        findings = found + Self.libraryFindings(libraryFault, address)
    }

    /// In the way of a catalogue on the web alone; a folder needs none, and `--offline` works with what is here.
    private static func libraryFindings(_ fault: UnreachableReason?, _ address: String?) -> [Finding] {
        guard let fault else { return [] }
        guard let address else { return [.caution(.noLibrary(fault))] }
        return FolderMirror(address: address) == nil ? [.obstacle(.noLibrary(fault))] : []
    }

    private static func examine(
        _ configuration: Configuration, _ directories: UserDirectories, now: UTCTime, built: UTCTime?
    ) throws(CommandFailure) -> [Finding] {
        let given = try TrustedRoot(configuredBy: configuration)
        let store = CatalogueStore(folder: CatalogueAccess.storeFolder(of: given, in: directories))
        // What it was followed to counts, where there was a refresh.
        let root = (try? RootInForce(given: given, in: directories))?.followed.root ?? given.root
        var findings = clockFindings(now: now, lastRefresh: store.lastRefresh(), built: built)
        if findings.isEmpty, root.expires < now { findings.append(.obstacle(.rootExpired(root.expires, now: now))) }
        if configuration.catalogueAddress == nil { findings.append(.caution(.noCatalogue())) }
        return findings
    }

    private static func clockFindings(now: UTCTime, lastRefresh: UTCTime?, built: UTCTime?) -> [Finding] {
        func isBehind(_ time: UTCTime) -> Bool { now.secondsSince1970 + tolerance < time.secondsSince1970 }
        if let lastRefresh, isBehind(lastRefresh) {
            return [.obstacle(.clockBehind(now, "the catalogue was verified here", lastRefresh))]
        }
        if let built, isBehind(built) { return [.obstacle(.clockBehind(now, "this program was built", built))] }
        return []
    }

    private static var ownDate: UTCTime? {
        var status = stat()
        guard stat("/proc/self/exe", &status) == 0 else { return nil }
        return UTCTime(secondsSince1970: Int64(status.st_mtim.tv_sec))
    }
}

extension CommandFailure {
    /// The root is there already, where this is what is missing.
    ///
    /// - Parameter option: what names an address for the command that runs alone, where it has such an option.
    static func noCatalogue(orBy option: String? = nil) -> CommandFailure {
        CommandFailure(
            .usage, code: "usage", cause: "no catalogue is configured",
            remedy: "espurr-ota trust --address URL|DIR" + (option.map { ", or \($0)" } ?? ""))
    }

    fileprivate static func noLibrary(_ fault: UnreachableReason) -> CommandFailure {
        CommandFailure(
            .catalogueUnreachable, code: "no_libcurl",
            cause: "a catalogue on the web cannot be asked: \(fault.inWords(at: .now()))", remedy: fault.remedy)
    }

    fileprivate static func clockBehind(_ now: UTCTime, _ event: String, _ time: UTCTime) -> CommandFailure {
        CommandFailure(
            .untrusted, code: "clock_behind", cause: "this machine's clock says \(now), and \(event) on \(time)",
            remedy: "set the clock (timedatectl set-ntp true): what has expired is judged by it")
    }

    fileprivate static func rootExpired(_ expiry: UTCTime, now: UTCTime) -> CommandFailure {
        CommandFailure(
            .untrusted, code: "root_expired",
            cause: "the trusted root expired on \(expiry); this machine's clock says \(now)",
            remedy: "if the clock is right: espurr-ota check fetches a newer root; else set the clock")
    }
}

import Catalogue
public import CommandLineTools
public import EarsCommandLine
import Glibc

/// Whether firmware could be verified on this machine: is there a root, and can the clock be right. Nothing is fetched.
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
            directories: try UserDirectories(environment: invocation.environment), now: .now(), built: Self.ownDate)
    }

    /// - Parameter built: when this program was built, as its file says.
    init(directories: UserDirectories, now: UTCTime, built: UTCTime?) {
        do throws(CommandFailure) {
            findings = try Self.examine(Configuration(directories), directories, now: now, built: built)
        } catch {
            findings = Self.clockFindings(now: now, lastRefresh: nil, built: built) + [.obstacle(error)]
        }
    }

    private static func examine(
        _ configuration: Configuration, _ directories: UserDirectories, now: UTCTime, built: UTCTime?
    ) throws(CommandFailure) -> [Finding] {
        let given = try TrustedRoot(configuredBy: configuration)
        let store = CatalogueStore(folder: CatalogueAccess.storeFolder(of: given, in: directories))
        // What it was rotated to counts, where there was a refresh.
        let root = (try? store.trustedRoot())?.root ?? given.root
        var findings = clockFindings(now: now, lastRefresh: store.lastRefresh(), built: built)
        if findings.isEmpty, root.expires < now { findings.append(.obstacle(.rootExpired(root.expires, now: now))) }
        if configuration.catalogueAddress == nil { findings.append(.caution(.noCatalogue)) }
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
    static let noCatalogue = CommandFailure(
        .usage, code: "usage", cause: "no catalogue is configured",
        remedy: "espurr-ota trust ROOT --address URL, or --catalogue URL|DIR")

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

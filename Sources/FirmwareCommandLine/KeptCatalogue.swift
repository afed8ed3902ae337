public import Catalogue
public import CommandLineTools
import Download
public import Firmware
import FirmwareUpdate
import FoundationEssentials

/// What the catalogue's metadata that this machine keeps say of a file, for telling it. No request is made, and nothing
/// is written.
///
/// It is judged by the rules of `--offline`: an expired timestamp or snapshot is used, expired targets never are. What
/// it says makes no file authenticated: a FILE that is installed is not, whatever lists it.
public struct KeptCatalogue: Sendable {
    private let updater: CatalogueUpdater
    /// Whether a command that names no address finds a catalogue.
    private let hasAddress: Bool

    /// Nil where no root is trusted, or no catalogue was ever read under it.
    public init?(directories: UserDirectories, now: @escaping @Sendable () -> UTCTime = { UTCTime.now() }) {
        guard let configuration = try? Configuration(directories),
            let root = try? TrustedRoot(configuredBy: configuration)
        else { return nil }
        let folder = CatalogueAccess.storeFolder(of: root, in: directories)
        guard FileManager.default.fileExists(atPath: folder) else { return nil }
        hasAddress = configuration.catalogueAddress != nil
        var limits = CatalogueLimits()
        limits.lockTime = .seconds(1)
        updater = CatalogueUpdater(
            store: CatalogueStore(folder: folder), mirror: AbsentMirror(reason: .notConnected), limits: limits, now: now
        )
    }

    /// The release whose listed length and SHA-256 are the file's; nil where none is, or where what is kept cannot be
    /// believed now.
    public func release(of image: ImageInspection) async -> CataloguedFile? {
        guard case .success(let sound) = image.verdict, case .family(let family) = sound.family,
            let contents = try? await updater.refresh(.offline),
            let listing = try? await updater.listing(of: contents, family: family.name)
        else { return nil }
        let hash = hexadecimal(image.sha256)
        let same = listing.releases.filter {
            $0.family == family.name && $0.target.length == image.size && $0.target.sha256 == hash
        }
        let files = same.map { release in
            // What has expired may have been replaced by the time a command has asked.
            let isHad = hasAddress && contents.staleSince == nil && listing.hands(out: release)
            return CataloguedFile(release: release, staleSince: contents.staleSince, isHadByVersion: isHad)
        }
        return files.first(where: \.isHadByVersion) ?? files.first
    }
}

extension ReleaseListing {
    /// Whether who asks for the release's version, on ears of its family, gets its very bytes: another release may bear
    /// the same version, and one that contradicts itself keeps all of that version from being installed.
    fileprivate func hands(out release: Release) -> Bool {
        guard contradictions(family: release.family, version: release.version).isEmpty else { return false }
        let policy = OfferPolicy(includesCandidates: release.channel == .candidate)
        let offer = Offer.version(
            release.version, among: releases, family: release.family, running: nil, policy: policy)
        guard case .offered(let offered, _) = offer else { return false }
        return offered.target.length == release.target.length && offered.target.sha256 == release.target.sha256
    }
}

/// A file of this machine whose bytes are those of a release.
public struct CataloguedFile: Sendable {
    public let release: Release
    /// Since when the metadata that say so have been expired.
    public let staleSince: UTCTime?
    /// Whether `install VERSION` gets these very bytes on ears of the release's family.
    let isHadByVersion: Bool

    /// `v2-8m 1.5.0 (stable)`
    public var inWords: String {
        let stale = staleSince.map { ", by metadata that expired \($0)" } ?? ""
        return "\(release.family.printable) \(release.version) (\(release.channel.rawValue))" + stale
    }

    /// The command that has the same bytes authenticated, and for which ears; nil where none is known that does. Whether
    /// the ears' policy lets it is known once they are read.
    ///
    /// - Parameter confirmed: for who cannot be asked.
    func commandInWords(confirmed: Bool = false) -> String? {
        guard isHadByVersion else { return nil }
        let flags = (release.channel == .candidate ? " --candidates" : "") + (confirmed ? " --yes" : "")
        return
            "for \(release.family.printable) ears, and no others, “espurr-ota install \(release.version)\(flags)” asks the "
            + "catalogue for them, authenticated"
    }

    public var json: JSON {
        .object([
            ("family", .string(release.family)), ("version", .string(release.version.description)),
            ("channel", .string(release.channel.rawValue)), ("target", .string(release.target.path.string)),
            ("stale_since", .optional(staleSince?.description)),
        ])
    }
}

public import Catalogue
public import CommandLineTools
import Download
import DurableFiles
public import Firmware
import FoundationEssentials

/// The way to the catalogue that this machine is configured for.
public struct CatalogueAccess: Sendable {
    private let store: CatalogueStore
    private let cache: TargetCache
    private let mirror: any Mirror
    private let root: TrustedRoot
    private let mode: CatalogueUpdater.Mode

    /// - Throws: ``ExitStatus/untrusted`` where no root is trusted or the root's file is damaged; ``ExitStatus/usage``
    ///   where no address is configured, or one that may not be used.
    ///
    /// - Parameter environment: names this machine's certificate authorities, where it does (`CertificateAuthorities`).
    public init(
        _ options: CatalogueOptions, directories: UserDirectories, environment: [String: String]
    ) throws(CommandFailure) {
        let configuration = try Configuration(directories)
        let address = options.address ?? configuration.catalogueAddress
        // Before the root, which is looked at while libcurl is loaded.
        let session = address.flatMap { Self.session(for: $0, environment) }
        root = try TrustedRoot(configuredBy: configuration)
        guard let address else { throw .noCatalogue(orBy: "--catalogue URL|DIR") }
        mirror = try Self.mirror(at: address, session)
        store = CatalogueStore(folder: Self.storeFolder(of: root, in: directories))
        cache = TargetCache(folder: "\(directories.cache)/targets")
        mode = options.mode
    }

    /// Each trusted root has a state of its own: what one vouched for says nothing under another.
    static func storeFolder(of root: TrustedRoot, in directories: UserDirectories) -> String {
        "\(directories.state)/catalogue/\(root.fingerprint.prefix(16))"
    }

    private var wait: CatalogueWait { CatalogueWait(isAsked: mode == .online && !(mirror is FolderMirror)) }

    /// A list of releases or an image is given only once what was written outlives a power cut.
    ///
    /// - Parameter console: whose terminal shows what is waited for.
    public func refresh(telling console: Console) async throws(CommandFailure) -> CatalogueContents {
        do throws(CatalogueError) {
            // The first refresh under a root starts from it; later ones from what it was rotated to.
            try await store.begin(from: root)
            return try await wait.shown(on: console, "the catalogue") { () throws(CatalogueError) in
                try await CatalogueUpdater(store: store, mirror: mirror).refreshUnsettled(mode)
            }
        } catch {
            if case .unreachable = error, let failure = CommandFailure(inPlaceOfCatalogue: mirror) { throw failure }
            throw CommandFailure(error)
        }
    }

    /// The releases, whichever role speaks for them.
    ///
    /// - Parameter family: `nil` for any; roles that cannot speak for it are not asked, but where there is nothing for it:
    ///   then all are, for saying what there is instead.
    /// - Parameter console: whose terminal shows what is waited for; nil where something else is shown meanwhile.
    public func listing(
        of contents: CatalogueContents, family: String?, telling console: Console?
    ) async throws(CommandFailure) -> ReleaseListing {
        do throws(CatalogueError) {
            let listing = try await roles(of: contents, family: family, console)
            guard let family, !listing.concerns(family) else { return listing }
            do throws(CatalogueError) { return try await roles(of: contents, family: nil, console) } catch {
                // What the other roles have is beside the question.
                if case .cancelled = error { throw error }
                return listing
            }
        } catch {
            throw CommandFailure(error)
        }
    }

    private func roles(
        of contents: CatalogueContents, family: String?, _ console: Console?
    ) async throws(CatalogueError) -> ReleaseListing {
        let what = family.map { "\($0.printable)'s releases" } ?? "every family's releases"
        return try await wait.shown(on: contents.delegates ? console : nil, what) { () throws(CatalogueError) in
            try await CatalogueUpdater(store: store, mirror: mirror).listing(of: contents, family: family)
        }
    }

    /// A release's verified file, judged as an image.
    public func image(
        of release: Release, in contents: CatalogueContents, progress: @escaping @Sendable (Int) -> Void
    ) async throws(CommandFailure) -> SoundImage {
        // The descriptor that was verified is the one that is judged, and sent from.
        let file = try await open(release, in: contents, progress: progress)
        let path = release.target.path.string
        let inspection: ImageInspection
        do { inspection = try ImageInspection(of: ImageFile(file)) } catch { throw CommandFailure(error, of: path) }
        do { return try inspection.verdict.get() } catch { throw CommandFailure(error, of: path) }
    }

    /// Puts a release's verified file at a path, whose folder exists.
    public func save(
        _ release: Release, in contents: CatalogueContents, to path: String,
        progress: @escaping @Sendable (Int) -> Void
    ) async throws(CommandFailure) {
        let file = try await open(release, in: contents, progress: progress)
        do throws(DurableFileError) {
            try release.target.copy(file, to: path)
        } catch {
            if case .failed(.read, _, _) = error { throw CommandFailure(.localState(error)) }
            throw CommandFailure(writing: error)
        }
    }

    private func open(
        _ release: Release, in contents: CatalogueContents, progress: @escaping @Sendable (Int) -> Void
    ) async throws(CommandFailure) -> ReadableFile {
        let source = TargetSource(contents, mirror: mirror, cache: cache, mode: mode)
        do { return try await source.open(release.target, progress: progress) } catch { throw CommandFailure(error) }
    }

    /// `nil` for a folder, which needs none.
    private static func session(for address: String, _ environment: [String: String]) -> DownloadSession? {
        guard FolderMirror(address: address) == nil else { return nil }
        return DownloadSession(authorities: CertificateAuthorities(environment: environment))
    }

    static func mirror(
        at address: String, _ session: DownloadSession?
    ) throws(CommandFailure) -> any Mirror {
        if let folder = FolderMirror(address: address) { return folder }
        do {
            return try HTTPMirror(address: PermittedURL(address), session: session ?? DownloadSession())
        } catch .unreachable(let reason) {
            return AbsentMirror(reason: reason)
        } catch {
            throw CommandFailure(address: address, error)
        }
    }
}

extension ReleaseListing {
    /// Whether anything here is for a family, or says that it is.
    public func concerns(_ family: String) -> Bool {
        releases.contains { $0.family == family } || !contradictions(family: family, version: nil).isEmpty
    }
}

/// A mirror on the web for a machine that makes no requests: what was verified before is there all the same.
struct AbsentMirror: Mirror {
    let reason: UnreachableReason

    var isAskedOffline: Bool { false }

    func metadata(named name: String, limit: Int) async throws(MirrorError) -> [UInt8] {
        throw .transfer(.unreachable(reason))
    }

    func target(
        at path: [UTF8Text], limit: Int, receive: @escaping @Sendable (UnsafeRawBufferPointer) -> Bool
    ) async throws(MirrorError) {
        throw .transfer(.unreachable(reason))
    }
}

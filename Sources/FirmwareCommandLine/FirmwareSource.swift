import Catalogue
import CommandLineTools
import EarsCommandLine
import Firmware

/// Where the firmware of a run comes from: read or refreshed once, however many pairs of ears it is for.
enum FirmwareSource: Sendable {
    /// Not authenticated by the catalogue.
    case file(SoundImage)
    case catalogue(SharedCatalogue)

    /// Everything that can be known without the radio.
    static func open(
        _ request: InstallationRequest, _ directories: UserDirectories, _ invocation: Invocation
    ) async throws(CommandFailure) -> FirmwareSource {
        if case .file(let path) = request.wanted {
            let (image, inspection) = try LocalFirmware.read(path)
            // It changes nothing about the question: who is asked is told of the way that needs none.
            if let listed = await KeptCatalogue(directories: directories)?.release(of: inspection) {
                let command = listed.commandInWords().map { "; " + $0 } ?? ""
                invocation.console.note(
                    "\(path.printable): the catalogue lists these bytes as \(listed.inWords)\(command)")
            }
            try await invocation.ask(
                "\(path.printable) is not authenticated by the catalogue. Install it all the same?",
                isAnswered: request.acceptsUnauthenticated, by: "--unauthenticated")
            return .file(image)
        }
        let access = try CatalogueAccess(
            request.catalogueOptions, directories: directories, environment: invocation.environment)
        let contents = try await access.refresh(telling: invocation.console)
        if let staleness = contents.staleness { invocation.console.note(staleness) }
        // Lanes of a bench have lines of their own, which one that ends would take away.
        let console = request.bench == nil ? invocation.console : nil
        return .catalogue(SharedCatalogue(access, contents, telling: console))
    }
}

/// A catalogue's contents for all that ask, each family's releases and each image fetched once.
///
/// Whoever asks second waits for what the first one began, and gets the same, a failure too. A cancellation is of the
/// whole run, and ends what is under way for all.
actor SharedCatalogue {
    private typealias Work<Value: Sendable> = Task<Result<Value, CommandFailure>, Never>

    private let access: CatalogueAccess
    private let contents: CatalogueContents
    private let console: Console?
    private var listings: [String: Work<ReleaseListing>] = [:]
    private var images: [String: Work<SoundImage>] = [:]

    init(_ access: CatalogueAccess, _ contents: CatalogueContents, telling console: Console?) {
        self.console = console
        self.access = access
        self.contents = contents
    }

    func listing(of family: String) async throws(CommandFailure) -> ReleaseListing {
        let (access, contents, console) = (access, contents, console)
        let work =
            listings[family]
            ?? Self.begin { () throws(CommandFailure) in
                try await access.listing(of: contents, family: family, telling: console)
            }
        listings[family] = work
        return try await Self.result(of: work)
    }

    /// - Parameter progress: of the download, where this call begins it.
    func image(
        of release: Release, progress: @escaping @Sendable (Int) -> Void
    ) async throws(CommandFailure) -> SoundImage {
        let (access, contents) = (access, contents)
        let path = release.target.path.string
        let work =
            images[path]
            ?? Self.begin { () throws(CommandFailure) in
                try await access.image(of: release, in: contents, progress: progress)
            }
        images[path] = work
        return try await Self.result(of: work)
    }

    private static func begin<Value: Sendable>(
        _ work: @escaping @Sendable () async throws(CommandFailure) -> Value
    ) -> Work<Value> {
        Task {
            do throws(CommandFailure) { return .success(try await work()) } catch { return .failure(error) }
        }
    }

    private static func result<Value: Sendable>(of work: Work<Value>) async throws(CommandFailure) -> Value {
        try await withTaskCancellationHandler {
            await work.value
        } onCancel: {
            work.cancel()
        }.get()
    }
}

import Catalogue
import Download
import DurableFiles
import Glibc

/// The catalogue's client behind the command line of the TUF conformance suite. Ends with 0 or 1.
@main
struct EspurrTUFConformance {
    static func main() {
        LibraryStart.prepare()
        let session = DownloadSession(loadsLibrary: false)
        Task(executorPreference: session.executor) {
            do {
                guard let arguments = ConformanceArguments(Array(CommandLine.arguments.dropFirst())) else {
                    fail("not the command line of the TUF conformance suite")
                }
                try await run(arguments, session)
                _exit(0)
            } catch {
                fail("\(error)")
            }
        }
        // What takes longest is done here, while the trusted root is looked at there.
        _ = DownloadSession.libraryFault()
        // The task ends the process. Nothing uses the main queue.
        while true { pause() }
    }

    private static func run(_ arguments: ConformanceArguments, _ session: DownloadSession) async throws {
        let store = CatalogueStore(folder: arguments.metadataFolder)
        switch arguments.command {
        case .initialise(let path):
            let bytes = try ReadableFile.contents(of: path, limit: CatalogueLimits().rootBytes)
            try await store.trust(try TrustedRoot(bytes))
        case .refresh(let metadataURL):
            let mirror = LateMirror(metadata: metadataURL, targets: metadataURL, session: session)
            _ = try await CatalogueUpdater(store: store, mirror: mirror).refresh()
        case .download(let metadataURL, let targetURL, let folder, let names):
            let mirror = LateMirror(metadata: metadataURL, targets: targetURL, session: session)
            let updater = CatalogueUpdater(store: store, mirror: mirror)
            let contents = try await updater.refreshUnsettled()
            let source = TargetSource(
                contents, mirror: mirror, cache: TargetCache(folder: folder, naming: .path))
            for name in names {
                _ = try await source.file(of: try await updater.target(at: UTF8Text(name), in: contents))
            }
        }
    }

    private static func fail(_ reason: String) -> Never {
        let line = Array("espurr-tuf-conformance: \(reason)\n".utf8)
        _ = write(STDERR_FILENO, line, line.count)
        _exit(1)
    }
}

import Catalogue
import CommandLineTools
import DurableFiles
import FirmwareCommandLine
import FirmwareUpdate

/// `download`: a verified image in a folder.
struct DownloadRelease: Verb {
    private static let family = Option(
        "--family", value: "F", completes: .families,
        "of this board family; needed where several have the version")
    private static let output = Option("--output", value: "DIR", "the folder; the current one where it is not given")

    static let usage = Usage(
        "download", "fetch and verify a release into a folder", operands: Operands("VERSION", 1...1),
        options: [family, output] + CatalogueOptions.options)

    let version: SemanticVersion
    let options: CatalogueOptions
    let family: String?
    let folder: String

    init(_ arguments: ParsedArguments) throws(CommandFailure) {
        version = try SemanticVersion(argument: arguments.operands[0])
        options = CatalogueOptions(arguments)
        family = arguments.value(of: Self.family)
        folder = arguments.value(of: Self.output) ?? "."
    }

    func run(_ invocation: Invocation) async throws(CommandFailure) -> ExitStatus {
        let directories = try UserDirectories(environment: invocation.environment)
        let access = try CatalogueAccess(options, directories: directories, environment: invocation.environment)
        let contents = try await access.refresh(telling: invocation.console)
        let listing = try await access.listing(of: contents, family: family, telling: invocation.console)
        let release = try choose(from: listing)
        do { try makeFolder(folder) } catch { throw CommandFailure(writing: error) }
        let name = release.target.path.string.split(separator: "/").last.map(String.init) ?? "image.bin"
        let path = "\(folder)/\(name)"
        let clock = ContinuousClock()
        let start = clock.now
        let reporter = InstallationReporter(invocation.withoutJSON, version: "\(version)") { clock.now - start }
        try await access.save(release, in: contents, to: path) { bytes in
            reporter.advance("downloading", to: bytes, of: release.target.length)
        }
        if invocation.wantsJSON {
            let file: [(String, JSON)] = [("release", release.json), ("file", .string(path))]
            invocation.console.print(JSON.document(invocation.schema, contents.members + file))
        } else {
            if let staleness = contents.staleness { invocation.console.note(staleness) }
            invocation.console.print(path.printable)
        }
        return .done
    }

    private func choose(from listing: ReleaseListing) throws(CommandFailure) -> Release {
        let releases = listing.releases
        let families = Set(releases.filter { $0.version == version }.map(\.family)).sorted()
        if family == nil, families.count > 1 {
            throw .usage(
                "several families have \(version): \(families.joined(separator: ", "))",
                remedy: "say which: --family F")
        }
        let contradictions = listing.contradictions(family: family ?? families.first, version: version)
        guard contradictions.isEmpty else { throw CommandFailure(contradictions.map(PreflightRefusal.contradiction)) }
        let policy = OfferPolicy(includesCandidates: options.includesCandidates)
        let offer = Offer.version(
            version, among: releases, family: family ?? families.first ?? "", running: nil, policy: policy)
        switch offer {
        case .offered(let release, _), .upToDate(_, let release): return release
        case .refused(.noReleases) where family == nil:
            throw CommandFailure(
                .policyRefused, code: "no_such_version", cause: "the catalogue has no \(version)",
                remedy: "espurr-ota list --channel all shows what there is")
        case .refused(let refusal): throw CommandFailure(refusal, answering: Self.usage)
        }
    }
}

import Catalogue
import CommandLineTools
import FirmwareCommandLine
import FirmwareUpdate

/// `list`: the releases.
struct List: Verb {
    private static let family = Option("--family", value: "F", completes: .families, "of this board family only")
    private static let channel = Option(
        "--channel", value: "C", completes: .words(["stable", "candidate", "all"]),
        "stable, candidate or all; stable where it is not given")

    static let usage = Usage(
        "list", "list the catalogue's releases", options: [family, channel] + CatalogueOptions.options,
        details: [
            "A target that is no release is left out: its path is not <family>/<version>/<file>.bin, or its custom is missing, "
                + "malformed or of another schema. Their number is told; -v says which, and why.",
            "--json has “releases”, “contradictions” (path and custom name different things) and “left_out”: of each the "
                + "“path”, the “reason” (other_path, no_description, unknown_schema, bad_field) and the “field” of "
                + "bad_field.",
        ])

    let options: CatalogueOptions
    let family: String?
    let channels: Set<Release.Channel>

    init(_ arguments: ParsedArguments) throws(CommandFailure) {
        options = CatalogueOptions(arguments)
        family = arguments.value(of: Self.family)
        switch arguments.value(of: Self.channel) {
        case nil: channels = options.includesCandidates ? [.stable, .candidate] : [.stable]
        case "all": channels = [.stable, .candidate]
        case let name?:
            guard let channel = Release.Channel(rawValue: name) else {
                throw .usage("no channel “\(name.printable)”", remedy: "stable, candidate or all")
            }
            channels = [channel]
        }
    }

    var isForItsOutput: Bool { true }

    func run(_ invocation: Invocation) async throws(CommandFailure) -> ExitStatus {
        let directories = try UserDirectories(environment: invocation.environment)
        let access = try CatalogueAccess(options, directories: directories, environment: invocation.environment)
        let contents = try await access.refresh(telling: invocation.console)
        let listing = try await access.listing(of: contents, family: family, telling: invocation.console)
        let releases = listing.releases
            .filter { channels.contains($0.channel) && (family == nil || $0.family == family) }
            .sorted { ($0.family, $0.version) < ($1.family, $1.version) }
        if let family, !listing.concerns(family) {
            throw CommandFailure(.nothing(for: family, among: listing.releases), answering: Self.usage)
        }
        let contradictions = listing.contradictions(family: family, version: nil)
        for contradiction in contradictions {
            invocation.console.note("left out: \(PreflightRefusal.contradiction(contradiction).inWords)")
        }
        let leftOut = listing.leftOut
        for target in leftOut { invocation.console.detail("left out: \(target.inWords)") }
        if invocation.wantsJSON {
            let list: [(String, JSON)] = [
                ("releases", .array(releases.map(\.json))), ("contradictions", .array(contradictions.map(\.json))),
                ("left_out", .array(leftOut.map(\.json))),
            ]
            invocation.console.print(JSON.document(invocation.schema, contents.members + list))
            return .done
        }
        if let staleness = contents.staleness { invocation.console.note(staleness) }
        if releases.isEmpty {
            let isAll = channels == [.stable, .candidate]
            invocation.console.note("no release fits" + (isAll ? "" : "; --channel all shows those of every channel"))
        }
        if let count = leftOut.inWords { invocation.console.note(count) }
        // Notes that there is no room for are cut; where there is none for the other cells, the lines are wrapped.
        for line in releases.lines(within: invocation.console.output.lineWidth) { invocation.console.show(line) }
        return .done
    }
}

import Bluetooth
import Catalogue
import CommandLineTools
import ControlProtocol
import Ears
import EarsCommandLine
import FirmwareCommandLine
import FirmwareUpdate

/// `check`: what runs, what is offered, why that one, and whether it fits. Changes nothing.
struct Check: Verb {
    private static let family = Option(
        "--family", value: "F", completes: .families, "ask for this board family, without ears")
    private static let running = Option("--running", value: "V", "with --family: the version that runs")
    private static let exitCode = Option("--exit-code", "end with 3 where there is an update")

    static let usage = Usage(
        "check", "say what runs, what is offered and whether it fits; changes nothing",
        options: [family, running, exitCode] + EarsOptions.options + CatalogueOptions.options)

    let earsOptions: EarsOptions
    let catalogueOptions: CatalogueOptions
    let family: String?
    let running: String?
    let tellsByStatus: Bool

    init(_ arguments: ParsedArguments) throws(CommandFailure) {
        earsOptions = try EarsOptions(arguments)
        catalogueOptions = CatalogueOptions(arguments)
        family = arguments.value(of: Self.family)
        running = arguments.value(of: Self.running)
        if let running { _ = try SemanticVersion(argument: running) }
        tellsByStatus = arguments.has(Self.exitCode)
        if running != nil, family == nil {
            throw .usage("--running goes with --family", remedy: "--family F; without both the ears say what runs")
        }
        if family != nil, earsOptions.device != nil {
            throw .usage(
                "--family and --device exclude each other", remedy: "--family asks without ears, --device asks those")
        }
    }

    var isForItsOutput: Bool { true }

    func run(_ invocation: Invocation) async throws(CommandFailure) -> ExitStatus {
        let directories = try UserDirectories(environment: invocation.environment)
        let access = try CatalogueAccess(
            catalogueOptions, directories: directories, environment: invocation.environment)
        let contents = try await access.refresh(telling: invocation.console)
        let report = family == nil ? try await readEars(invocation) : nil
        let family = family ?? report?.device.family ?? ""
        let listing = try await access.listing(of: contents, family: family, telling: invocation.console)
        let policy = OfferPolicy(includesCandidates: catalogueOptions.includesCandidates)
        let offer = Offer.newest(
            among: listing.releases, family: family, running: running ?? report?.runningVersion, policy: policy)
        let contradictions = listing.contradictions(family: family, version: nil)
        let refusals = contradictions.map(PreflightRefusal.contradiction) + refusals(offer, report)
        let outcome = outcome(offer, refusals)
        guard invocation.wantsJSON else {
            if let staleness = contents.staleness { invocation.console.note(staleness) }
            for line in lines(report, offer, refusals, outcome) { invocation.console.show(line) }
            return try outcome.get()
        }
        return print(document(contents, report, offer, refusals), outcome, invocation)
    }

    /// One document, whatever comes of it.
    private func print(
        _ members: [(String, JSON)], _ outcome: Result<ExitStatus, CommandFailure>, _ invocation: Invocation
    ) -> ExitStatus {
        let console = invocation.console
        switch outcome {
        case .success(let status):
            console.print(JSON.document(invocation.schema, members))
            return status
        case .failure(let failure):
            console.print(JSON.document(invocation.schema, members + [("error", failure.json)]))
            console.complain("\(invocation.program): \(failure.cause.printable)")
            if let remedy = failure.remedy { console.complain("  → \(remedy.printable)") }
            return failure.status
        }
    }

    private func readEars(_ invocation: Invocation) async throws(CommandFailure) -> EarsReport {
        try await EarsFinder(invocation).withSession(earsOptions) { owned throws(EarsError) in
            EarsReport(
                device: try await owned.session.deviceInformation(),
                reading: try await owned.session.updateReading())
        }
    }

    private func refusals(_ offer: Offer, _ report: EarsReport?) -> [PreflightRefusal] {
        guard case .offered(let release, _) = offer, let report else { return [] }
        return Preflight.refusals(.described(release), on: report)
    }

    private func outcome(_ offer: Offer, _ refusals: [PreflightRefusal]) -> Result<ExitStatus, CommandFailure> {
        guard refusals.isEmpty else { return .failure(CommandFailure(refusals)) }
        return switch offer {
        case .upToDate, .refused(.onlyCandidates): .success(.done)
        case .refused(let refusal): .failure(CommandFailure(refusal, answering: Self.usage))
        case .offered: .success(tellsByStatus ? .updateAvailable : .done)
        }
    }

    private func lines(
        _ report: EarsReport?, _ offer: Offer, _ refusals: [PreflightRefusal],
        _ outcome: Result<ExitStatus, CommandFailure>
    ) -> [String] {
        var lines = report.map { [$0.line] } ?? []
        if let reason = report?.unconfirmedInWords { lines.append("         not confirmed: \(reason)") }
        // A refusal is the command's own last word, and said once.
        if case .failure = outcome, refusals.isEmpty { return lines }
        lines.append(offer.line)
        guard case .offered(let release, _) = offer else { return lines }
        lines += release.notes.split(separator: "\n").map { "         \(String($0).printable)" }
        if report != nil {
            lines.append(
                "fits     " + (refusals.isEmpty ? "yes" : "no: " + refusals.map(\.inWords).joined(separator: "; ")))
        }
        return lines
    }

    private func document(
        _ contents: CatalogueContents, _ report: EarsReport?, _ offer: Offer, _ refusals: [PreflightRefusal]
    ) -> [(String, JSON)] {
        var members: [(String, JSON)] = [
            ("family", .optional(family ?? report?.device.family)),
            ("running", .optional(running ?? report?.runningVersion)),
            ("reading", report.map { FirmwareReading($0.reading).json } ?? .null),
        ]
        members += offer.members
        if case .offered = offer, report != nil {
            members += [
                ("fits", .boolean(refusals.isEmpty)), ("obstacles", .array(refusals.map { .string($0.code) })),
            ]
        } else {
            members.append(("fits", .null))
        }
        return members + contents.members
    }
}

import Catalogue
public import CommandLineTools
import ControlProtocol
import Ears
public import EarsCommandLine
import Firmware
import FirmwareUpdate

/// One run of `install`: what is to go on the ears, whether that was wanted, and the way there.
public struct InstallationErrand: Sendable {
    private let invocation: Invocation
    private let finder: EarsFinder
    private let options: InstallationRequest
    private let reporter: InstallationReporter

    /// - Parameter now: any clock's time since any moment, for rates.
    public init(
        invocation: Invocation, finder: EarsFinder, request: InstallationRequest,
        now: @escaping @Sendable () -> Duration
    ) {
        self.invocation = invocation
        self.finder = finder
        options = request
        reporter = InstallationReporter(invocation, now: now)
    }

    private var console: Console { invocation.console }

    /// - Throws: only where no JSON Lines are wanted: their last record holds the failure.
    public func run() async throws(CommandFailure) -> ExitStatus {
        // A task of its own: a phase goes on after a cancellation too.
        let heartbeat = Task { await reporter.keepTelling(on: finder.clock) }
        defer { heartbeat.cancel() }
        do throws(CommandFailure) {
            return try await course()
        } catch {
            guard invocation.wantsJSON else { throw error }
            // A library knows that it was cancelled; which signal did it is known here.
            let isSignal = error.status == .cancelled && invocation.interruption.cause != nil
            let failure = isSignal ? invocation.cancellation : error
            reporter.conclude(failure)
            return failure.status
        }
    }

    private func course() async throws(CommandFailure) -> ExitStatus {
        // Everything that can be known without the radio comes first.
        if case .file(let path) = options.wanted {
            let image = try Self.read(path)
            try await invocation.ask(
                "\(path.printable) is not authenticated by the catalogue. Install it all the same?",
                isAnswered: options.acceptsUnauthenticated, by: "--unauthenticated")
            return try await withEars { owned, ears throws(CommandFailure) in
                try checkPolicy(of: image, on: ears)
                return try await install(image, nil, on: owned, ears)
            }
        }
        let access = try CatalogueAccess(
            options.catalogueOptions, directories: finder.directories, environment: invocation.environment)
        let contents = try await access.refresh()
        if let staleness = contents.staleness { console.note(staleness) }
        return try await withEars { owned, ears throws(CommandFailure) in
            let listing = try await access.listing(of: contents, family: ears.device.family)
            try checkConsistency(of: listing, for: ears.device.family)
            let offer = self.offer(listing, ears)
            if case .upToDate(let running, _) = offer { return try upToDate(running, ears) }
            let release = try offer.release
            try check(.described(release), on: ears)
            let image = try await access.image(of: release, in: contents) { [reporter] bytes in
                reporter.advance("downloading", to: bytes, of: release.target.length)
            }
            return try await install(image, release, on: owned, ears)
        }
    }

    private func withEars(
        _ body: (OwnedSession, EarsReport) async throws(CommandFailure) -> ExitStatus
    ) async throws(CommandFailure) -> ExitStatus {
        let owned = try await finder.open(options.earsOptions)
        do throws(CommandFailure) {
            let status = try await body(owned, try await Self.report(on: owned.session))
            await owned.close()
            return status
        } catch {
            await owned.close()
            throw error
        }
    }

    private static func report(on session: EarsSession) async throws(CommandFailure) -> EarsReport {
        do throws(EarsError) {
            return EarsReport(
                device: try await session.deviceInformation(), reading: try await session.updateReading())
        } catch {
            throw CommandFailure(error)
        }
    }

    private static func read(_ path: String) throws(CommandFailure) -> SoundImage {
        let bytes: [UInt8]
        do { bytes = try ImageFile.read(path) } catch { throw CommandFailure(error, of: path) }
        do { return try ImageInspection(of: bytes).verdict.get() } catch { throw CommandFailure(error, of: path) }
    }

    private func checkConsistency(of listing: ReleaseListing, for family: String) throws(CommandFailure) {
        var version: SemanticVersion?
        if case .version(let wanted) = options.wanted { version = wanted }
        let contradictions = listing.contradictions(family: family, version: version)
        if !contradictions.isEmpty { throw CommandFailure(contradictions.map(PreflightRefusal.contradiction)) }
    }

    private func offer(_ listing: ReleaseListing, _ ears: EarsReport) -> Offer {
        let (family, running) = (ears.device.family, ears.runningVersion)
        if case .version(let version) = options.wanted {
            return Offer.version(
                version, among: listing.releases, family: family, running: running, policy: options.policy)
        }
        let newest = Offer.newest(among: listing.releases, family: family, running: running, policy: options.policy)
        // With --allow-reinstall the newest goes on again where it runs already.
        if case .upToDate(let running, let release) = newest, options.policy.allowsReinstall, release.version == running
        {
            return .offered(release, .reinstall)
        }
        return newest
    }

    /// Nothing newer: done, where what runs was read as VALID.
    private func upToDate(_ running: SemanticVersion, _ ears: EarsReport) throws(CommandFailure) -> ExitStatus {
        let reading = FirmwareReading(ears.reading)
        let state = reading.running.map { OTAStateName($0.otaState).rawValue } ?? "unknown"
        guard reading.running?.otaState == .valid else {
            throw CommandFailure(
                .bootedNotConfirmed, code: "running_not_valid",
                cause: "nothing newer than \(running), and what runs is not confirmed (\(state.uppercased()))",
                remedy: "espurr-ota status --wait looks again; --allow-reinstall puts it on anew")
        }
        reporter.conclude(
            "up_to_date", [("version", .string("\(running)")), ("status", .integer(0)), ("reading", reading.json)])
        if !invocation.wantsJSON { console.print("up to date: \(running) runs, and is VALID") }
        return .done
    }

    /// A local file's version against what runs.
    private func checkPolicy(of image: SoundImage, on ears: EarsReport) throws(CommandFailure) {
        try check(.file(image), on: ears)
        let comparison = OfferReason.comparing(
            image.version, running: ears.runningVersion, policy: options.policy)
        if case .failure(let refusal) = comparison { throw CommandFailure(refusal) }
    }

    private func check(_ candidate: UpdateCandidate, on ears: EarsReport) throws(CommandFailure) {
        let refusals = Preflight.refusals(candidate, on: ears)
        if !refusals.isEmpty { throw CommandFailure(refusals) }
    }

    private func install(
        _ image: SoundImage, _ release: Release?, on owned: OwnedSession, _ ears: EarsReport
    ) async throws(CommandFailure) -> ExitStatus {
        reporter.name(version: image.version)
        let slot = ears.reading.inactive?.index ?? 0
        let plan =
            "\(image.version.printable) (\(kibibytes(image.size))) onto \(owned.sighting.inWords), "
            + "\(ears.runningInWords), into ota_\(slot)"
        console.note(plan)
        try await invocation.ask("Install it?", isAnswered: options.isConfirmed, by: "--yes")
        let surroundings = Installation.Surroundings(
            central: finder.central, clock: finder.clock, log: AttemptLog(stateFolder: finder.directories.state))
        let installation = Installation(
            of: image, release: release, on: owned.session, holding: owned.lock, in: surroundings,
            report: reporter.report)
        let result: InstallationResult
        do { result = try await installation.run() } catch { throw CommandFailure(error) }
        return conclude(result)
    }

    private func conclude(_ result: InstallationResult) -> ExitStatus {
        let report = VerdictReport(
            result.verdict, version: result.attempt.target.version, latest: result.readings.latest,
            interruption: invocation.interruption.cause)
        reporter.conclude(
            result.verdict.name.rawValue,
            [
                ("status", .integer(Int64(report.status.rawValue))), ("sentence", .string(report.sentence)),
                ("version", .string(result.attempt.target.version)), ("attempt", .string(result.attempt.id)),
                ("reading", result.readings.latest?.json ?? .null),
            ])
        guard !invocation.wantsJSON else { return report.status }
        if report.status == .done {
            console.print(report.sentence)
        } else {
            console.complain("espurr-ota: \(report.sentence)")
            if let remedy = report.remedy { console.complain("  → \(remedy)") }
        }
        return report.status
    }
}

extension Offer {
    /// - Throws: why there is nothing to install.
    fileprivate var release: Release {
        get throws(CommandFailure) {
            switch self {
            case .offered(let release, _), .upToDate(_, let release): return release
            case .refused(let refusal): throw CommandFailure(refusal)
            }
        }
    }
}

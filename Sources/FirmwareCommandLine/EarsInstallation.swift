import Bluetooth
import Catalogue
import CommandLineTools
import ControlProtocol
import Ears
import EarsCommandLine
import Firmware
import FirmwareUpdate

/// From ears that this command owns to how it ended: which firmware, whether it may go on them, and the way there.
struct EarsInstallation: Sendable {
    /// How an installation that was begun, or needed not be, ended.
    enum Conclusion: Sendable {
        /// Nothing newer, and what runs is VALID.
        case upToDate(version: String, FirmwareReading)
        case ended(InstallationResult)
    }

    let source: FirmwareSource
    let request: InstallationRequest
    let surroundings: Installation.Surroundings
    let reporter: InstallationReporter
    /// What was asked for before and runs by now, VALID, is then no refusal.
    var isRetry = false
    /// What is about to be done, in words; throws where it is not wanted.
    let confirm: @Sendable (_ plan: String) async throws(CommandFailure) -> Void

    func run(on owned: OwnedSession) async throws(CommandFailure) -> Conclusion {
        let ears = try await Self.report(on: owned.session)
        switch source {
        case .file(let image):
            let reading = FirmwareReading(ears.reading)
            if isRetry, reading.running?.digest == image.imageDigest, reading.running?.otaState == .valid {
                return .upToDate(version: image.version, reading)
            }
            try checkPolicy(of: image, on: ears)
            return .ended(try await install(image, nil, on: owned, ears))
        case .catalogue(let catalogue):
            let listing = try await catalogue.listing(of: ears.device.family)
            try checkConsistency(of: listing, for: ears.device.family)
            let offer = self.offer(listing, ears)
            if case .upToDate(let running, _) = offer { return try upToDate(running, ears) }
            if isRetry, case .refused(.same(let running)) = offer,
                try await runs(running, of: listing, from: catalogue, ears)
            {
                return try upToDate(running, ears)
            }
            let release = try offer.release
            try check(.described(release), on: ears)
            let image = try await catalogue.image(of: release) { [reporter] bytes in
                reporter.advance("downloading", to: bytes, of: release.target.length)
            }
            return .ended(try await install(image, release, on: owned, ears))
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

    private func checkConsistency(of listing: ReleaseListing, for family: String) throws(CommandFailure) {
        var version: SemanticVersion?
        if case .version(let wanted) = request.wanted { version = wanted }
        let contradictions = listing.contradictions(family: family, version: version)
        if !contradictions.isEmpty { throw CommandFailure(contradictions.map(PreflightRefusal.contradiction)) }
    }

    private func offer(_ listing: ReleaseListing, _ ears: EarsReport) -> Offer {
        let (family, running) = (ears.device.family, ears.runningVersion)
        if case .version(let version) = request.wanted {
            return Offer.version(
                version, among: listing.releases, family: family, running: running, policy: request.policy)
        }
        let newest = Offer.newest(among: listing.releases, family: family, running: running, policy: request.policy)
        // With --allow-reinstall the newest goes on again where it runs already.
        if case .upToDate(let running, let release) = newest, request.policy.allowsReinstall, release.version == running
        {
            return .offered(release, .reinstall)
        }
        return newest
    }

    /// Whether what runs is the catalogue's image of its version, and not another build that calls itself so.
    private func runs(
        _ version: SemanticVersion, of listing: ReleaseListing, from catalogue: SharedCatalogue, _ ears: EarsReport
    ) async throws(CommandFailure) -> Bool {
        let releases = listing.releases.filter { $0.family == ears.device.family && $0.version == version }
        guard let release = releases.first, let running = FirmwareReading(ears.reading).running else { return false }
        return try await catalogue.image(of: release) { _ in }.imageDigest == running.digest
    }

    /// Nothing newer: done, where what runs was read as VALID.
    private func upToDate(_ running: SemanticVersion, _ ears: EarsReport) throws(CommandFailure) -> Conclusion {
        let reading = FirmwareReading(ears.reading)
        guard reading.running?.otaState == .valid else {
            let reason = ears.unconfirmedInWords.map { ": \($0)" } ?? ""
            throw CommandFailure(
                .bootedNotConfirmed, code: "running_not_valid",
                cause: "nothing newer than \(running), and what runs is not confirmed\(reason)",
                remedy: remedy(reading.running?.otaState, ears))
        }
        return .upToDate(version: "\(running)", reading)
    }

    /// What can make VALID of what runs; nil where nothing does.
    private func remedy(_ state: OTAState?, _ ears: EarsReport) -> String? {
        if ears.hasNoTrials { return nil }
        switch state {
        case .new, .pendingVerify: return "espurr-ota status --wait looks again"
        case .undefined, .valid, .invalid, .aborted, .unknown, nil: return "--allow-reinstall puts it on anew"
        }
    }

    /// A local file's version against what runs.
    private func checkPolicy(of image: SoundImage, on ears: EarsReport) throws(CommandFailure) {
        try check(.file(image), on: ears)
        let comparison = OfferReason.comparing(
            image.version, running: ears.runningVersion, policy: request.policy)
        if case .failure(let refusal) = comparison { throw CommandFailure(refusal) }
    }

    private func check(_ candidate: UpdateCandidate, on ears: EarsReport) throws(CommandFailure) {
        let refusals = Preflight.refusals(candidate, on: ears)
        if !refusals.isEmpty { throw CommandFailure(refusals) }
    }

    private func install(
        _ image: SoundImage, _ release: Release?, on owned: OwnedSession, _ ears: EarsReport
    ) async throws(CommandFailure) -> InstallationResult {
        reporter.name(version: image.version)
        tellOfRollBack(of: image, on: owned.session.peripheral.address.description)
        let slot = ears.reading.inactive?.index ?? 0
        try await confirm(
            "\(image.version.printable) (\(kibibytes(image.size))) onto \(owned.sighting.inWords), "
                + "\(ears.runningInWords), into ota_\(slot)")
        let installation = Installation(
            of: image, release: release, on: owned.session, holding: owned.lock, in: surroundings,
            report: reporter.report)
        do { return try await installation.run() } catch { throw CommandFailure(error) }
    }
}

extension EarsInstallation {
    /// Says that the image did not pass its trial boot on these ears the last time. Nothing is kept from going on: what
    /// made it fail may be mended.
    private func tellOfRollBack(of image: SoundImage, on device: String) {
        // A record that cannot be read is met when the new attempt is put on it.
        guard let attempt = try? surroundings.log.lastTrial(of: image.imageDigest, on: device),
            attempt.verdict == .rolledBack
        else { return }
        reporter.tell("rolled_back_before", attempt.members, attempt.rolledBackLine)
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

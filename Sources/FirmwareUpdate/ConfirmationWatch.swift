internal import ControlProtocol
internal import Ears

/// Watches a new image until it is confirmed, given up, or out of time.
struct ConfirmationWatch: Sendable {
    /// What the watch saw.
    struct Outcome: Sendable {
        var latest: FirmwareReading?
        var firstValid: Readings.FirstValid?
        var ending: Ending
        var hasBooted: Bool
        /// From the beginning of the watch to the latest reading.
        var elapsed: Duration = .zero
    }

    let link: EarsLink
    let target: UpdateTarget
    let pace: Pace
    /// Nil: one look, and a second one only where that can confirm.
    let deadline: Duration?
    /// Of ears that were told to restart, when is not known: they are read again until they must have.
    var bootCountBeforeRestart: UInt32?
    /// Whether it tells what it waits for; an installation has told it before.
    var tellsPhases = false
    let report: @Sendable (InstallationEvent) -> Void

    func run() async -> Outcome {
        var outcome = Outcome(latest: nil, firstValid: nil, ending: .watched, hasBooted: false)
        do {
            try await watch(&outcome)
        } catch .cancelled {
            // What a cancellation leaves is one more look, on the link that there is.
            outcome.ending = .cancelled
            outcome.latest = await LastLook.run { try? await link.session.updateReading() }.map { FirmwareReading($0) }
        } catch {
            outcome.latest = nil
            outcome.ending = .lost(.link)
        }
        return outcome
    }

    private func watch(_ outcome: inout Outcome) async throws(UploadStop) {
        let stopwatch = pace.stopwatch()
        var valid: (reading: FirmwareReading, since: Stopwatch)?
        var told: InstallationPhase?
        while true {
            let latest = FirmwareReading(try await reading())
            outcome.latest = latest
            outcome.elapsed = stopwatch.elapsed()
            tell(phase(latest), unless: &told)
            guard latest.runs(target) else {
                guard mayChangeByItself(latest, after: outcome.elapsed) else { return }
                try await pace.pause(pace.deadlines.pollInterval)
                continue
            }
            if !outcome.hasBooted { report(.booted(latest)) }
            outcome.hasBooted = true
            if let first = valid, first.reading.bootCount != latest.bootCount {
                report(.restartedAgain(bootCount: latest.bootCount))
                valid = nil
            }
            guard latest.running?.otaState != .undefined else { return }
            if latest.running?.otaState != .valid {
                valid = nil
            } else if valid == nil {
                valid = (latest, pace.stopwatch())
            }
            outcome.firstValid = valid.map { Readings.FirstValid(reading: $0.reading, age: $0.since.elapsed()) }
            if let age = outcome.firstValid?.age, age >= Readings.confirmationGap { return }
            guard try await mayLookAgain(valid?.since, stopwatch, &outcome) else { return }
        }
    }

    /// What is waited for where it goes on; nil where nothing is.
    private func phase(_ latest: FirmwareReading) -> InstallationPhase? {
        if latest.runs(target) { return deadline != nil && latest.running?.otaState != .undefined ? .watching : nil }
        if latest.bootCount == bootCountBeforeRestart { return .restarting }
        return deadline != nil && latest.isDeciding(on: target) ? .verifying : nil
    }

    private func tell(_ phase: InstallationPhase?, unless told: inout InstallationPhase?) {
        guard tellsPhases, let phase, phase != told else { return }
        told = phase
        report(.phase(phase))
    }

    /// Whether ears that run something else are about to restart, or are still at the file that they were sent.
    private func mayChangeByItself(_ latest: FirmwareReading, after elapsed: Duration) -> Bool {
        if latest.bootCount == bootCountBeforeRestart { return elapsed < Readings.restartSettling }
        return deadline != nil && latest.isDeciding(on: target) && elapsed < pace.deadlines.verifying
    }

    /// Waits for the next look, where there is to be one.
    private func mayLookAgain(
        _ validSince: Stopwatch?, _ stopwatch: Stopwatch, _ outcome: inout Outcome
    ) async throws(UploadStop) -> Bool {
        guard let deadline else {
            outcome.ending = .looked
            guard let validSince, stopwatch.elapsed() <= Readings.confirmationGap else { return false }
            try await pace.pause(Readings.confirmationGap - validSince.elapsed())
            return true
        }
        guard stopwatch.elapsed() < deadline else {
            outcome.ending = .deadline(.watching)
            return false
        }
        try await pace.pause(pace.deadlines.pollInterval)
        return true
    }

    private func reading() async throws(UploadStop) -> UpdateReading {
        guard !Task.isCancelled else { throw .cancelled }
        do { return try await link.reading() } catch { throw error.stop }
    }
}

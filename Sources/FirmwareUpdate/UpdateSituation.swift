internal import Bluetooth
public import Ears

/// What runs on a pair of ears, what is selected, and how the last attempt of this machine ended.
public struct UpdateSituation: Sendable {
    public let reading: UpdateReading
    /// The last attempt on these ears, where only a fresh read could say how it ended; with what was read.
    public let attempt: Attempt?
    /// What the fresh read earned it.
    public let verdict: Verdict?

    /// Reads the ears, and settles an attempt that was left half-way.
    ///
    /// - Parameters:
    ///   - waiting: watches a trial boot until it is confirmed or given up, as an installation does; else there is one
    ///     look, and a second one only where that can confirm.
    /// - Throws: where the ears or the record cannot be read. A verdict that cannot be put on record is still given.
    public static func read(
        over session: EarsSession, in surroundings: Installation.Surroundings, waiting: Bool,
        deadlines: PhaseDeadlines = PhaseDeadlines(), report: @escaping @Sendable (InstallationEvent) -> Void
    ) async throws(InstallationError) -> UpdateSituation {
        let reading: UpdateReading
        let link = EarsLink(
            session: session, central: surroundings.central,
            pace: Pace(clock: surroundings.clock, deadlines: deadlines),
            report: report)
        do { reading = try await link.reading() } catch { throw .ears(error) }
        let unsettled: Attempt?
        do {
            unsettled = try surroundings.log.unsettled(on: session.peripheral.address.description)
        } catch { throw .record(error) }
        guard var attempt = unsettled else {
            await link.letGo()
            return UpdateSituation(reading: reading, attempt: nil, verdict: nil)
        }
        let verdict = await attempt.settle(
            over: link, in: surroundings, waiting: waiting, deadlines: deadlines, report: report)
        do { try surroundings.log.write(attempt) } catch { report(.recordFailed(error)) }
        return UpdateSituation(reading: reading, attempt: attempt, verdict: verdict)
    }
}

extension Attempt {
    /// Gives it the verdict that a fresh reading earns. Nothing is written.
    mutating func settle(
        over link: EarsLink, in surroundings: Installation.Surroundings, waiting: Bool,
        deadlines: PhaseDeadlines, report: @escaping @Sendable (InstallationEvent) -> Void
    ) async -> Verdict {
        let pace = Pace(clock: surroundings.clock, deadlines: deadlines)
        let outcome = await ConfirmationWatch(
            link: link, target: target, pace: pace, deadline: waiting ? deadlines.watching : nil,
            bootCountBeforeRestart: milestone == .restarting ? selection?.bootCount : nil, tellsPhases: true,
            report: report
        ).run()
        await link.letGo()
        let verdict = Verdict(readings(outcome))
        self.verdict = verdict.name
        latest = outcome.latest
        updatedAt = surroundings.now()
        return verdict
    }

    private func readings(_ outcome: ConfirmationWatch.Outcome) -> Readings {
        var ending = Ending.looked
        if case .deadline = outcome.ending { ending = outcome.ending }
        return Readings(
            target: target, before: before, milestone: max(milestone, outcome.hasBooted ? .booted : milestone),
            selection: selection, firstValid: outcome.firstValid, latest: outcome.latest, ending: ending,
            restartAge: outcome.elapsed)
    }
}

internal import Bluetooth
internal import ControlProtocol
internal import Ears

/// One installation under way: where it stands, on record and on the link.
actor InstallationCourse {
    private let installation: Installation
    let link: EarsLink
    let pace: Pace
    private let before: UpdateReading
    private var attempt: Attempt
    /// Of the update; 0 until the ears gave one.
    private var updateSession: UInt32 = 0
    /// Since `restart` may have reached the ears.
    private var restartSent: Stopwatch?

    var target: UpdateTarget { attempt.target }

    init(_ installation: Installation, attempt: Attempt, before: UpdateReading) {
        self.installation = installation
        self.attempt = attempt
        self.before = before
        pace = Pace(clock: installation.surroundings.clock, deadlines: installation.deadlines)
        link = EarsLink(
            session: installation.session, central: installation.surroundings.central, pace: pace,
            report: installation.report)
    }

    func run() async -> InstallationResult {
        do {
            selected(try await upload())
        } catch {
            let stop = error
            if stop == .cancelled { report(.cancelling(attempt.milestone)) }
            let latest = await LastLook.run(isHurried: false) { await self.leave(after: stop) }
            guard let latest, latest.selects(target), !stop.endsHere, attempt.milestone >= .sent else {
                return conclude(stop.ending, latest)
            }
            selected(latest)
        }
        return await restart()
    }

    private func upload() async throws(UploadStop) -> FirmwareReading {
        let uploader = Uploader(
            session: installation.session, image: installation.image, target: target, pace: pace,
            report: installation.report)
        // Before anything is erased for it: since it was judged somebody was asked, or other ears got it first.
        try uploader.checkImage()
        try await uploader.abortOldSession(in: before)
        reached(.begun)
        updateSession = try await uploader.begin(family: attempt.family)
        try await uploader.waitErased(updateSession)
        try await uploader.send(updateSession)
        reached(.sent)
        return FirmwareReading(try await uploader.finish(updateSession))
    }

    private func selected(_ reading: FirmwareReading) {
        attempt.selection = reading
        reached(.selected)
        report(.selected(reading))
    }

    private func restart() async -> InstallationResult {
        guard !Task.isCancelled else { return await concludeCancelled() }
        report(.phase(.restarting))
        reached(.restarting)
        restartSent = pace.stopwatch()
        var isLinkLost = false
        do throws(EarsError) {
            let reply = try await link.session.restart()
            if let refusal = reply.refusal {
                let refused = EarsRefusal(refusal: refusal, deviceError: reply.deviceError)
                return conclude(.refused(refused), await look())
            }
        } catch {
            // A cancelled exchange was not begun; one that was abandoned is a lost reply.
            guard error != .bluetooth(.cancelled) else { return await concludeWithoutRestart() }
            // A lost reply is no answer either way: whether the ears restart is read from their boot count.
            isLinkLost = error.endsSession
        }
        if !isLinkLost, await !link.linkEnds(within: pace.deadlines.linkEnd) {
            guard !Task.isCancelled else { return await concludeCancelled() }
            if let reading = await look(), isAsSelected(reading) { return conclude(.deadline(.restarting), reading) }
        }
        do { try await comeBack() } catch {
            return conclude(error.stop.ending, nil)
        }
        return await watch()
    }

    /// Connects again, and once more where the link had ended before the restart that is still to come.
    private func comeBack() async throws(EarsError) {
        while true {
            try await link.reconnect()
            let left = Readings.restartSettling - (restartSent?.elapsed() ?? .zero)
            guard left > .zero, let reading = await look(), isAsSelected(reading), await link.linkEnds(within: left)
            else { return }
        }
    }

    private func isAsSelected(_ reading: FirmwareReading) -> Bool {
        reading.bootCount == attempt.selection?.bootCount
    }

    private func watch() async -> InstallationResult {
        report(.phase(.watching))
        let watch = ConfirmationWatch(
            link: link, target: target, pace: pace, deadline: pace.deadlines.watching, report: installation.report)
        let outcome = await watch.run()
        if outcome.hasBooted { reached(.booted) }
        if outcome.ending == .cancelled { report(.cancelling(attempt.milestone)) }
        return conclude(outcome.ending, outcome.latest, firstValid: outcome.firstValid)
    }

    /// `restart` was cancelled before it was begun: the ears were told nothing.
    private func concludeWithoutRestart() async -> InstallationResult {
        restartSent = nil
        reached(.selected)
        return await concludeCancelled()
    }

    private func concludeCancelled() async -> InstallationResult {
        report(.cancelling(attempt.milestone))
        return conclude(.cancelled, await look())
    }

    /// One look on the link that there is, whether or not the task was cancelled.
    private func look() async -> FirmwareReading? {
        let link = link
        return await LastLook.run { try? await link.session.updateReading() }.map { FirmwareReading($0) }
    }

    private func conclude(
        _ ending: Ending, _ latest: FirmwareReading?, firstValid: Readings.FirstValid? = nil
    ) -> InstallationResult {
        let readings = Readings(
            target: target, before: attempt.before, milestone: attempt.milestone, selection: attempt.selection,
            firstValid: firstValid, latest: latest, ending: ending, restartAge: restartSent?.elapsed())
        let verdict = Verdict(readings)
        attempt.verdict = verdict.name
        attempt.latest = latest
        write()
        return InstallationResult(verdict: verdict, readings: readings, attempt: attempt)
    }

    private func reached(_ milestone: Milestone) {
        attempt.milestone = milestone
        write()
    }

    /// The ears come first: a record that cannot be written does not stop what is under way.
    private func write() {
        attempt.updatedAt = installation.surroundings.now()
        do { try installation.surroundings.log.write(attempt) } catch { report(.recordFailed(error)) }
    }

    func report(_ event: InstallationEvent) { installation.report(event) }

    /// The session that this installation opened, or may have opened where the reply to `begin` was lost.
    func openSession(in reading: UpdateReading) -> UInt32? {
        guard reading.session != 0 else { return nil }
        let isOurs = reading.session == updateSession || reading.status.sessionSHA256 == target.fileSHA256
        return isOurs ? reading.session : nil
    }
}

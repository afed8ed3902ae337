internal import ControlProtocol
public import Bluetooth
public import Ears

/// How the way out of recovery mode ended, by what was read (`Protocol/wire.md`, section 8, `restart`).
public enum RecoveryExit: Equatable, Sendable {
    /// Normal mode: the firmware of the running slot runs.
    case left(FirmwareReading)
    /// Nothing was sent: by what the ears say of their slots there is nothing to boot.
    case nothingBootable(FirmwareReading)
    case refused(EarsRefusal)
    /// It was acknowledged, or may have been, and the ears did not restart.
    case notRestarted(FirmwareReading)
    /// They restarted, and are in recovery mode again.
    case recoveryAgain(FirmwareReading)
    /// It was sent, or may have been, and they could not be read since.
    case unknown(EarsError)

    init(before: FirmwareReading, after: FirmwareReading) {
        if after.mode == .normal {
            self = .left(after)
        } else {
            self = after.bootCount == before.bootCount ? .notRestarted(after) : .recoveryAgain(after)
        }
    }

    /// Has ears in recovery mode restart, and reads what they are then. The restart is sent once.
    ///
    /// - Parameter report: told of the phases: restarting, reconnecting.
    /// - Throws: only where nothing was sent.
    public static func take(
        over session: EarsSession, central: any Central, clock: any Clock<Duration>,
        deadlines: PhaseDeadlines = PhaseDeadlines(), report: @escaping @Sendable (InstallationEvent) -> Void
    ) async throws(EarsError) -> RecoveryExit {
        let pace = Pace(clock: clock, deadlines: deadlines)
        let way = Way(link: EarsLink(session: session, central: central, pace: pace, report: report), report: report)
        do throws(EarsError) {
            let exit = try await way.out(deadlines)
            await way.link.letGo()
            return exit
        } catch {
            await way.link.letGo()
            throw error
        }
    }
}

/// The restart, and the reading after it.
private struct Way {
    let link: EarsLink
    let report: @Sendable (InstallationEvent) -> Void

    func out(_ deadlines: PhaseDeadlines) async throws(EarsError) -> RecoveryExit {
        let before = FirmwareReading(try await link.reading())
        guard before.mode == .recovery else { return .left(before) }
        guard before.bootableSlot != nil else { return .nothingBootable(before) }
        report(.phase(.restarting))
        var isReplyLost = false
        do throws(EarsError) {
            let reply = try await link.session.restart()
            if let refusal = reply.refusal {
                return .refused(EarsRefusal(refusal: refusal, deviceError: reply.deviceError))
            }
        } catch {
            // A cancelled exchange was not begun; one that was abandoned is a lost reply.
            guard error != .bluetooth(.cancelled) else { throw error }
            // A lost reply is no answer either way: whether the ears restart is read from their boot count.
            isReplyLost = error.endsSession
        }
        do throws(EarsError) {
            return RecoveryExit(before: before, after: try await reading(after: before, isReplyLost, deadlines))
        } catch {
            return .unknown(error)
        }
    }

    private func reading(
        after before: FirmwareReading, _ isReplyLost: Bool, _ deadlines: PhaseDeadlines
    ) async throws(EarsError) -> FirmwareReading {
        var hasEnded = isReplyLost
        if !hasEnded { hasEnded = await link.linkEnds(within: deadlines.linkEnd) }
        if hasEnded { try await link.reconnect() }
        let reading = FirmwareReading(try await link.session.updateReading())
        guard isReplyLost, reading.bootCount == before.bootCount,
            await link.linkEnds(within: Readings.restartSettling)
        else { return reading }
        // The link had ended before the restart that was still to come.
        try await link.reconnect()
        return FirmwareReading(try await link.session.updateReading())
    }
}

public import CommandLineTools
public import FirmwareUpdate
import Synchronization

/// Tells an installation as it happens: a line that moves on a terminal, plain lines elsewhere, JSON Lines for scripts.
public final class InstallationReporter: Sendable {
    private struct State {
        var sequence = 0
        var progress: TransferProgress?
        var throttle: ProgressThrottle
    }

    private let invocation: Invocation
    private let version: String
    private let now: @Sendable () -> Duration
    private let state: Mutex<State>

    /// - Parameter now: any clock's time since any moment.
    public init(_ invocation: Invocation, version: String, now: @escaping @Sendable () -> Duration) {
        self.invocation = invocation
        self.version = version
        self.now = now
        let isTerminal = invocation.console.messages.isTerminal && !invocation.wantsJSON
        state = Mutex(State(throttle: ProgressThrottle(isTerminal: isTerminal)))
    }

    public func report(_ event: InstallationEvent) {
        switch event {
        case .progress(let bytes, let total): advance("sending", to: bytes, of: total)
        case .phase(let phase): tell("phase", [("phase", .string(phase.rawValue))], phase.inWords)
        case .sent: tell("milestone", [("milestone", .string("sent"))], "sent: every byte was acknowledged")
        case .accepted: tell("milestone", [("milestone", .string("accepted"))], "accepted: the ears verified it")
        case .selected(let reading):
            tell(
                "milestone", [("milestone", .string("selected")), ("reading", reading.json)],
                "selected for the next boot")
        case .booted(let reading):
            tell(
                "milestone", [("milestone", .string("booted")), ("reading", reading.json)],
                "booted: \(version) runs, on trial")
        default: tellIncident(event)
        }
    }

    private func tellIncident(_ event: InstallationEvent) {
        switch event {
        case .oldSessionAborted(let session):
            tell(
                "old_session_aborted", [("session", .integer(Int64(session)))],
                "an upload that was left open was given up; this one begins at byte 0")
        case .restartedAgain(let count):
            tell("restarted_again", [("boot_count", .integer(Int64(count)))], "the ears restarted; watching anew")
        case .linkLost: tell("link_lost", [], "the link was lost; connecting once more")
        case .cancelling: tell("cancelling", [], "cancelling: reading how the ears stand (Ctrl-C again leaves at once)")
        case .recordFailed: tell("record_failed", [], "the record of this attempt cannot be written; going on")
        case .progress, .phase, .sent, .accepted, .selected, .booted: break
        }
    }

    /// Bytes of a download or an upload.
    public func advance(_ phase: String, to bytes: Int, of total: Int) {
        let now = now()
        let line = state.withLock { state -> String? in
            if state.progress?.phase != phase || state.progress?.total != total {
                state.progress = TransferProgress(phase: phase, total: total, started: now)
            }
            state.progress?.advance(to: bytes, at: now)
            guard let progress = state.progress,
                state.throttle.shouldShow(phase: phase, percent: progress.percent, at: now)
            else { return nil }
            return progress.line
        }
        guard let line else { return }
        if invocation.wantsJSON {
            let members: [(String, JSON)] = [
                ("phase", .string(phase)), ("bytes", .integer(Int64(bytes))), ("total", .integer(Int64(total))),
            ]
            printEvent("progress", members)
        } else {
            invocation.console.progress(line)
        }
    }

    /// The last record.
    public func conclude(_ verdict: String, _ members: [(String, JSON)]) {
        guard invocation.wantsJSON else { return }
        printEvent("verdict", [("verdict", .string(verdict))] + members)
    }

    private func tell(_ event: String, _ members: [(String, JSON)], _ line: String) {
        if invocation.wantsJSON { printEvent(event, members) } else { invocation.console.note(line) }
    }

    private func printEvent(_ event: String, _ members: [(String, JSON)]) {
        state.withLock { state in
            state.sequence += 1
            let head: [(String, JSON)] = [("sequence", .integer(Int64(state.sequence))), ("event", .string(event))]
            invocation.console.print(JSON.document(invocation.schema, head + members))
        }
    }
}

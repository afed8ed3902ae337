public import CommandLineTools
import ControlProtocol
public import FirmwareUpdate
import Synchronization

/// Tells an installation as it happens: a line that moves on a terminal, plain lines elsewhere, JSON Lines for scripts.
public final class InstallationReporter: Sendable {
    private struct State {
        var progress: TransferProgress?
        var throttle: ProgressThrottle
        /// Of the image; empty until one was chosen.
        var version = ""
        var phase: Phase?
        var isCancelling = false
        /// When something was last told.
        var told = Duration.zero
    }

    private struct Phase {
        var code: String
        var words: String
        var started: Duration
        /// Seconds that it takes at most, where that is told.
        var longest: Int64?
    }

    private let invocation: Invocation
    private let voice: InstallationVoice
    private let now: @Sendable () -> Duration
    private let state: Mutex<State>

    /// - Parameter now: any clock's time since any moment.
    public convenience init(_ invocation: Invocation, version: String = "", now: @escaping @Sendable () -> Duration) {
        self.init(invocation, to: InstallationVoice(invocation), version: version, now: now)
    }

    init(
        _ invocation: Invocation, to voice: InstallationVoice, version: String = "",
        now: @escaping @Sendable () -> Duration
    ) {
        self.invocation = invocation
        self.voice = voice
        self.now = now
        state = Mutex(State(throttle: ProgressThrottle(isTerminal: voice.isTerminal), version: version))
        invocation.interruption.onFirst { [weak self] in self?.beginCancelling() }
    }

    /// What was under way is being given up: from here on that is what goes on, whatever still comes of the phase.
    private func beginCancelling() {
        let now = now()
        state.withLock { state in
            state.isCancelling = true
            guard state.phase != nil else { return }
            state.phase = Phase(code: Self.cancelling, words: Self.cancelling, started: now)
            // Else the terminal would show the phase until the next second.
            guard voice.isTerminal else { return }
            state.told = now
            voice.progress(Self.cancelling)
        }
    }

    public func report(_ event: InstallationEvent) {
        switch event {
        case .progress(let bytes, let total): advance("sending", to: bytes, of: total)
        case .phase(let phase):
            enter(phase)
            tell("phase", [("phase", .string(phase.rawValue))], phase.beginningInWords)
        case .sent: tell("milestone", [("milestone", .string("sent"))], "sent: every byte was acknowledged")
        case .accepted: tell("milestone", [("milestone", .string("accepted"))], "accepted: the ears verified it")
        case .selected(let reading):
            tell(
                "milestone", [("milestone", .string("selected")), ("reading", reading.json)],
                "selected for the next boot")
        case .booted(let reading):
            tell(
                "milestone", [("milestone", .string("booted")), ("reading", reading.json)],
                "booted: \(state.withLock(\.version)) runs"
                    + (reading.running?.otaState == .undefined ? "" : ", on trial"))
        default: tellIncident(event)
        }
    }

    /// Names the image that is told of from here on. The download, where there was one, is over.
    public func name(version: String) {
        state.withLock { state in
            state.version = version
            state.phase = nil
        }
    }

    /// Tells that a phase goes on, where nothing else told it: a line that moves each second on a terminal, a record
    /// or a line every ten seconds elsewhere. Ends with the task that runs it.
    public func keepTelling(on clock: any Clock<Duration>) async {
        while (try? await clock.sleep(for: Self.beat)) != nil { tellPhase() }
    }

    private func tellPhase() {
        let now = now()
        state.withLock { state in
            guard let phase = state.phase,
                now - state.told >= (voice.isTerminal ? Self.beat : ProgressThrottle.heartbeat)
            else { return }
            state.told = now
            let seconds = (now - phase.started).components.seconds
            if invocation.wantsJSON {
                voice.print("heartbeat", [("phase", .string(phase.code)), ("seconds", .integer(seconds))])
            } else {
                let time = phase.longest.map { "\(seconds) of at most \($0) s" } ?? "\(seconds) s"
                voice.progress("\(phase.words)  \(time)")
            }
        }
    }

    private func enter(_ phase: InstallationPhase) {
        let now = now()
        state.withLock { state in
            state.told = now
            guard state.phase?.code != phase.rawValue, !state.isCancelling else { return }
            state.phase = Phase(
                code: phase.rawValue, words: phase.inWords, started: now, longest: phase.longest)
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
        case .uploadForm(let form):
            tell("upload_form", [("form", .string(form.rawValue))], form.inWords)
        case .cancelling: tell("cancelling", [], "cancelling: reading how the ears stand (Ctrl-C again leaves at once)")
        case .recordFailed: tell("record_failed", [], "the record of this attempt cannot be written; going on")
        case .progress, .phase, .sent, .accepted, .selected, .booted: break
        }
    }

    /// Bytes of a download or an upload.
    public func advance(_ phase: String, to bytes: Int, of total: Int) {
        let now = now()
        let line = state.withLock { state -> String? in
            guard !state.isCancelling else { return nil }
            if state.phase?.code != phase { state.phase = Phase(code: phase, words: phase, started: now) }
            if state.progress?.phase != phase || state.progress?.total != total {
                state.progress = TransferProgress(phase: phase, total: total, started: now)
            }
            state.progress?.advance(to: bytes, at: now)
            guard let progress = state.progress,
                state.throttle.shouldShow(phase: phase, percent: progress.percent, at: now)
            else { return nil }
            state.told = now
            return progress.line
        }
        guard let line else { return }
        if invocation.wantsJSON {
            let members: [(String, JSON)] = [
                ("phase", .string(phase)), ("bytes", .integer(Int64(bytes))), ("total", .integer(Int64(total))),
            ]
            voice.print("progress", members)
        } else {
            voice.progress(line)
        }
    }

    /// The last record of what never began, and the failure for people beside it.
    public func conclude(_ failure: CommandFailure) {
        let console = invocation.console
        console.complain("\(invocation.program): \(failure.cause.printable)")
        if let remedy = failure.remedy { console.complain("  → \(remedy.printable)") }
        record(failure)
    }

    /// The last record alone.
    func record(_ failure: CommandFailure) {
        close()
        if invocation.wantsJSON { voice.print("verdict", Self.members(concluding: failure)) }
    }

    /// Of the last record where nothing was sent.
    static func members(concluding failure: CommandFailure) -> [(String, JSON)] {
        [
            ("verdict", .string(failure.verdict)), ("status", .integer(Int64(failure.status.rawValue))),
            ("error", failure.json),
        ]
    }

    func tell(_ event: String, _ members: [(String, JSON)], _ line: String) {
        if invocation.wantsJSON { voice.print(event, members) } else { voice.note(line) }
    }

    /// The last record.
    public func conclude(_ verdict: String, _ members: [(String, JSON)]) {
        close()
        if invocation.wantsJSON { voice.print("verdict", [("verdict", .string(verdict))] + members) }
    }

    /// Nothing follows the last record.
    func close() { state.withLock { $0.phase = nil } }

    private static let beat = Duration.seconds(1)
    private static let cancelling = "cancelling"
}

extension CommandFailure {
    /// Of an installation that ended before anything was sent to the ears.
    var verdict: String {
        status.isInterruption ? VerdictName.cancelled.rawValue : VerdictName.refused.rawValue
    }
}

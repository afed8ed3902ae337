import Glibc
import Synchronization
import Threads

/// The signals that end a command, as product rules have them: the first asks it to stop in order, the second leaves
/// at once.
public final class Interruption: Sendable {
    public enum Cause: Int32, CaseIterable, Sendable {
        case interrupt = 2
        case terminate = 15
        case hangUp = 1

        public var status: ExitStatus {
            switch self {
            case .interrupt: .cancelled
            case .terminate: .terminated
            case .hangUp: .hungUp
            }
        }
    }

    private struct State {
        var count = InterruptionCount()
        var actions: [@Sendable () -> Void] = []
        var lastActions: [@Sendable () -> Void] = []
    }

    private let state = Mutex(State())
    /// Time since some moment.
    private let now: @Sendable () -> Duration

    public convenience init() {
        let start = ContinuousClock.now
        self.init(now: { start.duration(to: .now) })
    }

    init(now: @escaping @Sendable () -> Duration) { self.now = now }

    /// The first signal that came.
    public var cause: Cause? { state.withLock { $0.count.first?.cause } }

    /// Takes over SIGINT, SIGTERM and SIGHUP for the rest of the process's life, but for one that was ignored when it
    /// began: `nohup` and a shell's background jobs mean it.
    ///
    /// To be called on a process's first thread before there is another one: a thread that does not block these signals
    /// would die of them. Those of libdispatch block them by themselves.
    public func watch() {
        var signals = sigset_t()
        sigemptyset(&signals)
        for cause in Cause.allCases where !Self.isIgnored(cause) { sigaddset(&signals, cause.rawValue) }
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        let isWatched = DetachedThread.start { [signals, weak self] in
            var (signals, number) = (signals, Int32(0))
            while sigwait(&signals, &number) == 0 {
                Cause(rawValue: number).map { self?.receive($0, elsewhere: Self.onThreadOfItsOwn) }
            }
        }
        if !isWatched { pthread_sigmask(SIG_UNBLOCK, &signals, nil) }
    }

    private static func isIgnored(_ cause: Cause) -> Bool {
        var current = sigaction()
        guard sigaction(cause.rawValue, nil, &current) == 0 else { return false }
        // SIG_IGN is the handler with the number 1; function pointers cannot be compared otherwise.
        return unsafeBitCast(current.__sigaction_handler.sa_handler, to: Int.self) == 1
    }

    /// What the first signal does too; at once where it has come already.
    public func onFirst(_ action: @escaping @Sendable () -> Void) {
        let came = state.withLock { state -> Bool in
            state.actions.append(action)
            return state.count.first != nil
        }
        if came { action() }
    }

    /// Does what the first signal does, without one: the command is to end for another reason.
    func stop() {
        for action in state.withLock({ $0.actions }) { action() }
    }

    /// What is done too before the second signal ends the process at once: to leave the terminal as it was, and a word to
    /// the next command. It has to be over at once.
    public func beforeLeaving(_ action: @escaping @Sendable () -> Void) {
        state.withLock { $0.lastActions.append(action) }
    }

    private static let onThreadOfItsOwn: @Sendable (@escaping @Sendable () -> Void) -> Void = { actions in
        if !DetachedThread.start(actions) { actions() }
    }

    /// - Parameter elsewhere: where the first signal's actions are done. Whoever waits for the second one must not wait for
    ///   what they may wait for.
    func receive(
        _ cause: Cause, elsewhere: (@escaping @Sendable () -> Void) -> Void = { $0() }
    ) {
        let (meaning, actions, lastActions) = state.withLock { state in
            (state.count.take(cause, at: now()), state.actions, state.lastActions)
        }
        switch meaning {
        case .first: elsewhere { for action in actions { action() } }
        case .echo: return
        case .second:
            for lastAction in lastActions { lastAction() }
            let words = Array("left at once: what was under way was not brought to an end\n".utf8)
            _ = Glibc.write(STDERR_FILENO, words, words.count)
            _exit(cause.status.rawValue)
        }
    }
}

/// Which signal it is that came.
struct InterruptionCount: Sendable {
    enum Meaning: Hashable, Sendable {
        case first
        /// The first one once more: timeout(1) signals the command and then its group, and a terminal that is closed has its
        /// shell send after the kernel what the kernel has sent.
        case echo
        /// Somebody who does not want to wait.
        case second
    }

    private(set) var first: (cause: Interruption.Cause, time: Duration)?

    /// Nobody presses a key twice so fast, and no program that means it asks twice.
    static let echoes = Duration.milliseconds(200)

    mutating func take(_ cause: Interruption.Cause, at time: Duration) -> Meaning {
        guard let first else {
            first = (cause, time)
            return .first
        }
        return time - first.time < Self.echoes ? .echo : .second
    }
}

import Dispatch
import Glibc
import Synchronization

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
        var cause: Cause?
        var action: (@Sendable () -> Void)?
        var lastAction: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())
    private let sources = Mutex(Sources())

    // A dispatch source is not marked Sendable; these are made once and then only kept alive.
    private struct Sources: @unchecked Sendable { var list: [any DispatchSourceSignal] = [] }

    public init() {}

    /// The first signal that came.
    public var cause: Cause? { state.withLock { $0.cause } }

    /// Takes over SIGINT, SIGTERM and SIGHUP for the rest of the process's life, but for one that was ignored when it
    /// began: `nohup` and a shell's background jobs mean it.
    public func watch() {
        let queue = DispatchQueue(label: "interruption")
        sources.withLock { sources in
            sources.list = Cause.allCases.filter { !Self.isIgnored($0) }.map { cause in
                signal(cause.rawValue, SIG_IGN)
                let source = DispatchSource.makeSignalSource(signal: cause.rawValue, queue: queue)
                source.setEventHandler { [weak self] in self?.receive(cause) }
                source.resume()
                return source
            }
        }
    }

    private static func isIgnored(_ cause: Cause) -> Bool {
        var current = sigaction()
        guard sigaction(cause.rawValue, nil, &current) == 0 else { return false }
        // SIG_IGN is the handler with the number 1; function pointers cannot be compared otherwise.
        return unsafeBitCast(current.__sigaction_handler.sa_handler, to: Int.self) == 1
    }

    /// What the first signal does; at once where it has come already.
    public func onFirst(_ action: @escaping @Sendable () -> Void) {
        let came = state.withLock { state -> Bool in
            state.action = action
            return state.cause != nil
        }
        if came { action() }
    }

    /// What is done before the second signal ends the process at once: to leave the terminal as it was.
    public func beforeLeaving(_ action: @escaping @Sendable () -> Void) { state.withLock { $0.lastAction = action } }

    func receive(_ cause: Cause) {
        let (isFirst, action, lastAction) = state.withLock { state in
            defer { state.cause = state.cause ?? cause }
            return (state.cause == nil, state.action, state.lastAction)
        }
        guard isFirst else {
            lastAction?()
            let words = Array("left at once: what was under way was not brought to an end\n".utf8)
            _ = Glibc.write(STDERR_FILENO, words, words.count)
            _exit(cause.status.rawValue)
        }
        action?()
    }
}

import Dispatch
import Glibc
import Synchronization

/// Passes the signals that end a process on to the command that runs, so that this process outlives it and cleans up.
///
/// The command's group is not this process's own, so whatever the signal came from reaches it once.
public final class SignalRelay: Sendable {
    static let signals = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]
    /// A command that does not end within this after SIGTERM or SIGHUP is killed.
    static let patience = DispatchTimeInterval.seconds(15)

    private struct State {
        var command: SpawnedProcess?
        var first: Int32?
    }

    private let state = Mutex(State())
    private let sources = Mutex(Sources())
    private let queue = DispatchQueue(label: "signals")
    /// Ignored when this process began, as `nohup` has it: they stay so, for the command too.
    let inheritedIgnored: [Int32]

    // A dispatch source is not marked Sendable; these are made once and then only kept alive.
    private struct Sources: @unchecked Sendable { var list: [any DispatchSourceSignal] = [] }

    public init() { inheritedIgnored = Self.signals.filter(Self.isIgnored) }

    private static func isIgnored(_ number: Int32) -> Bool {
        var action = sigaction()
        sigaction(number, nil, &action)
        return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
            == unsafeBitCast(SIG_IGN, to: Int.self)
    }

    /// Takes the signals over for the rest of the process's life.
    public func watch() {
        sources.withLock { sources in
            sources.list = Self.signals.filter { !inheritedIgnored.contains($0) }.map { number in
                signal(number, SIG_IGN)
                let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
                source.setEventHandler { [weak self] in self?.receive(number) }
                source.resume()
                return source
            }
        }
    }

    /// The first signal that came.
    public var first: Int32? { state.withLock { $0.first } }

    func receive(_ number: Int32) {
        let command = state.withLock { state in
            state.first = state.first ?? number
            return state.command
        }
        guard let command else { return }
        command.signalGroup(number)
        guard number == SIGTERM || number == SIGHUP else { return }
        queue.asyncAfter(deadline: .now() + Self.patience) {
            if !command.hasEnded { command.signalGroup(SIGKILL) }
        }
    }

    func attach(_ command: SpawnedProcess?) { state.withLock { $0.command = command } }
}

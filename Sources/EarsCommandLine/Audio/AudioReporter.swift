public import CommandLineTools
public import Ears
import Synchronization

/// Tells how a sound is heard and read, and remembers when it began.
public final class AudioReporter: Sendable {
    private struct State {
        var began: UTCMoment?
        var progress: TransferProgress?
        var throttle: ProgressThrottle
    }

    private let order: AudioOrder
    private let console: Console
    private let now: @Sendable () -> Duration
    private let today: @Sendable () -> UTCMoment
    private let state: Mutex<State>

    /// - Parameters:
    ///   - now: any clock's time since any moment.
    ///   - today: what this machine holds for the time of day.
    public init(
        _ order: AudioOrder, console: Console, now: @escaping @Sendable () -> Duration,
        today: @escaping @Sendable () -> UTCMoment = { UTCMoment.now }
    ) {
        self.order = order
        self.console = console
        self.now = now
        self.today = today
        state = Mutex(State(throttle: ProgressThrottle(isTerminal: console.messages.isTerminal)))
    }

    /// When the ears began to listen; now, where they have not begun.
    public var began: UTCMoment { state.withLock(\.began) ?? today() }

    public func tell(_ event: AudioEvent) {
        switch event {
        case .oldSessionStopped: console.note("the ears held a sound that nobody came back for; it was let go")
        case .started(let length):
            let today = today()
            state.withLock { $0.began = today }
            console.note("\(order.inWords): the ears listen for \(length.inWords), from now on")
        case .progress(let bytes, let total): advance(to: bytes, of: total)
        case .heard:
            guard let progress = state.withLock(\.progress), progress.done < progress.total else { return }
            console.note("all of it is heard; reading the rest")
        case .stopped(isConfirmed: true): console.note("ended on the ears; no file was written")
        case .stopped(isConfirmed: false):
            console.note("whether it ended on the ears is not known: it ends with the link; no file was written")
        }
    }

    private func advance(to bytes: Int, of total: Int) {
        let now = now()
        let line = state.withLock { state -> String? in
            var progress = state.progress ?? TransferProgress(phase: "reading", total: total, started: now)
            progress.advance(to: bytes, at: now)
            state.progress = progress
            let isWorthIt = state.throttle.shouldShow(phase: progress.phase, percent: progress.percent, at: now)
            return isWorthIt ? progress.line : nil
        }
        if let line { console.progress(line) }
    }
}

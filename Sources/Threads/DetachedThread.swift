import Dispatch
import Glibc

/// A thread for what waits or blocks: those of Swift's concurrency are too few for it.
package enum DetachedThread {
    package enum Signals {
        /// The mask of the thread that starts it.
        case asStarted
        /// They are for other threads, and the SIGPIPE of a write to a closed connection is for none.
        case blocked
    }

    /// - Returns: whether the body will run; `false` where the system has no thread left.
    package static func start(signals: Signals = .asStarted, _ body: @escaping @Sendable () -> Void) -> Bool {
        let context = Unmanaged.passRetained(Body(signals: signals, run: body))
        var thread = pthread_t()
        guard pthread_create(&thread, nil, entry, context.toOpaque()) == 0 else {
            context.release()
            return false
        }
        pthread_detach(thread)
        return true
    }

    /// Where the system has no thread left one of the pool's has to do.
    package static func startOrBorrow(signals: Signals = .asStarted, _ body: @escaping @Sendable () -> Void) {
        if !start(signals: signals, body) { DispatchQueue.global().async(execute: body) }
    }

    private static let entry: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { context in
        guard let context else { return nil }
        let body = Unmanaged<Body>.fromOpaque(context).takeRetainedValue()
        if body.signals == .blocked {
            var all = sigset_t()
            sigfillset(&all)
            pthread_sigmask(SIG_SETMASK, &all, nil)
        }
        body.run()
        return nil
    }

    private final class Body: Sendable {
        let signals: Signals
        let run: @Sendable () -> Void

        init(signals: Signals, run: @escaping @Sendable () -> Void) {
            self.signals = signals
            self.run = run
        }
    }
}

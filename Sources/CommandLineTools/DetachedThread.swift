import Glibc

/// A thread that waits for something as long as the process lives, since the threads of Swift's concurrency must not. It
/// has the signal mask of the one that starts it.
enum DetachedThread {
    /// Whether the body will run; `false` where the system has no thread left.
    static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
        let context = Unmanaged.passRetained(Body(run: body))
        var thread = pthread_t()
        guard pthread_create(&thread, nil, entry, context.toOpaque()) == 0 else {
            context.release()
            return false
        }
        pthread_detach(thread)
        return true
    }

    private static let entry: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { context in
        guard let context else { return nil }
        Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run()
        return nil
    }

    private final class Body: Sendable {
        let run: @Sendable () -> Void
        init(run: @escaping @Sendable () -> Void) { self.run = run }
    }
}

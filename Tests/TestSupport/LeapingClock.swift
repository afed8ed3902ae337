import Synchronization

/// A clock for code that does nothing but wait and look: a sleep ends at once, and time has moved by then.
///
/// What happens at the same time is not kept apart by it: where two tasks wait for each other, use ``TestClock``.
public final class LeapingClock: Clock, Sendable {
    public typealias Duration = Swift.Duration
    public typealias Instant = TestClock.Instant

    private let time = Mutex(Swift.Duration.zero)

    public init() {}

    public var now: Instant { Instant(offset: time.withLock(\.self)) }
    public var minimumResolution: Duration { .nanoseconds(1) }

    /// Lets time pass without anybody sleeping.
    public func pass(_ duration: Duration) { time.withLock { $0 += duration } }

    public func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        try Task.checkCancellation()
        time.withLock { $0 = max($0, deadline.offset) }
        await Task.yield()
    }
}

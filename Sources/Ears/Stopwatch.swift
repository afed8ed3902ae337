/// Time since it was made, on a clock whose instants nobody needs to know.
package struct Stopwatch: Sendable {
    package let elapsed: @Sendable () -> Duration

    package init(_ clock: any Clock<Duration>) {
        self = Self.start(clock)
    }

    private init(elapsed: @escaping @Sendable () -> Duration) { self.elapsed = elapsed }

    private static func start<C: Clock>(_ clock: C) -> Stopwatch where C.Duration == Duration {
        let start = clock.now
        return Stopwatch(elapsed: { start.duration(to: clock.now) })
    }
}

/// A point in time on an injected clock, and how far it is.
struct Deadline: Sendable {
    let clock: any Clock<Duration>
    let limit: Duration
    private let sinceStart: @Sendable () -> Duration

    init(_ limit: Duration, on clock: any Clock<Duration>) {
        self.clock = clock
        self.limit = limit
        sinceStart = Self.stopwatch(clock)
    }

    var elapsed: Duration { sinceStart() }
    var remaining: Duration { max(.zero, limit - elapsed) }

    private static func stopwatch(_ clock: some Clock<Duration>) -> @Sendable () -> Duration {
        let start = clock.now
        return { start.duration(to: clock.now) }
    }
}

private enum RaceEnd<Value: Sendable>: Sendable {
    case value(Value)
    case time
    /// The sleep was cancelled, and with it the whole race: `body` is left to say so.
    case interrupted
}

/// Runs `body` and, beside it, the clock; who comes first decides, and the other is cancelled.
///
/// - Parameter body: has to end soon when its task is cancelled.
/// - Returns: nil where the time came first.
func race<Value: Sendable>(
    within time: Duration, on clock: any Clock<Duration>, _ body: @escaping @Sendable () async -> Value
) async -> Value? {
    await withTaskGroup(of: RaceEnd<Value>.self) { group in
        group.addTask { .value(await body()) }
        group.addTask {
            do { try await clock.sleep(for: time) } catch { return .interrupted }
            return .time
        }
        defer { group.cancelAll() }
        for await end in group {
            switch end {
            case .value(let value): return value
            case .time: return nil
            case .interrupted: continue
            }
        }
        return nil
    }
}

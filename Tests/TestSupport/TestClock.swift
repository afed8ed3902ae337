import Synchronization

/// The tests' clock: time stands still until a test moves it.
///
/// A test of something that waits awaits ``sleepers(_:)``, so that the wait is known to have begun, and then moves time
/// with ``advance(by:)``. Nothing here sleeps really.
public final class TestClock: Clock, Sendable {
    public typealias Duration = Swift.Duration

    /// Time since the clock was made.
    public struct Instant: InstantProtocol {
        public var offset: Swift.Duration

        public init(offset: Swift.Duration = .zero) { self.offset = offset }

        public func advanced(by duration: Swift.Duration) -> Instant { Instant(offset: offset + duration) }
        public func duration(to other: Instant) -> Swift.Duration { other.offset - offset }
        public static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    private struct Sleeper {
        let id: UInt64
        let deadline: Instant
        let continuation: CheckedContinuation<Void, any Error>
    }

    private enum Condition {
        case sleepers(atLeast: Int)
        case nextWake(in: Duration)
    }

    private struct Watcher {
        let id: UInt64
        let condition: Condition
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var now = Instant()
        var lastID: UInt64 = 0
        /// By deadline; those of one deadline as they came.
        var sleepers: [Sleeper] = []
        var watchers: [Watcher] = []
        /// Cancelled before their continuation was there.
        var cancelled: Set<UInt64> = []

        /// What waits under the identifier; where nothing does yet, it will not be let wait.
        mutating func remove(_ id: UInt64) -> CheckedContinuation<Void, any Error>? {
            if let place = sleepers.firstIndex(where: { $0.id == id }) {
                return sleepers.remove(at: place).continuation
            }
            if let place = watchers.firstIndex(where: { $0.id == id }) {
                return watchers.remove(at: place).continuation
            }
            cancelled.insert(id)
            return nil
        }

        mutating func newID() -> UInt64 {
            lastID += 1
            return lastID
        }

        var timeToNextWake: Duration? { sleepers.first.map { now.duration(to: $0.deadline) } }

        private func holds(_ condition: Condition) -> Bool {
            switch condition {
            case .sleepers(let count): sleepers.count >= count
            case .nextWake(let duration): timeToNextWake == duration
            }
        }

        mutating func takeSatisfiedWatchers() -> [Watcher] {
            let satisfied = watchers.filter { holds($0.condition) }
            let ids = Set(satisfied.map(\.id))
            watchers.removeAll { ids.contains($0.id) }
            return satisfied
        }
    }

    private let state = Mutex(State())

    public init() {}

    public var now: Instant { state.withLock(\.now) }
    public var minimumResolution: Duration { .nanoseconds(1) }

    /// How many sleep at this moment.
    public var sleeperCount: Int { state.withLock(\.sleepers.count) }

    /// When the next sleeper wakes, from now; nil when nobody sleeps.
    public var timeToNextWake: Duration? { state.withLock(\.timeToNextWake) }

    /// Moves time by `duration` at one stroke, and wakes those whose deadline has come, in the order of the deadlines.
    ///
    /// A sleeper runs when its task gets a thread; what it then sleeps for counts from the end of this advance. To go
    /// through the steps of a loop, await ``sleepers(_:)`` and advance by one step at a time.
    public func advance(by duration: Duration) {
        precondition(duration >= .zero, "time does not run backwards")
        let (woken, satisfied) = state.withLock { state in
            state.now = state.now.advanced(by: duration)
            let due = state.sleepers.prefix { $0.deadline <= state.now }
            state.sleepers.removeFirst(due.count)
            return (due, state.takeSatisfiedWatchers())
        }
        for sleeper in woken { sleeper.continuation.resume() }
        for watcher in satisfied { watcher.continuation.resume() }
    }

    /// Waits until at least `count` sleep. Throws `CancellationError` when the test is given up.
    public func sleepers(_ count: Int) async throws {
        try await wait(for: .sleepers(atLeast: count))
    }

    /// Waits until the next wake is exactly `duration` away. Throws `CancellationError` when the test is given up.
    public func nextWake(in duration: Duration) async throws { try await wait(for: .nextWake(in: duration)) }

    private func wait(for condition: Condition) async throws {
        try await suspend { state, id, continuation in
            state.watchers.append(Watcher(id: id, condition: condition, continuation: continuation))
        }
    }

    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        try await suspend { state, id, continuation in
            guard deadline > state.now else { return continuation.resume() }
            let place = state.sleepers.firstIndex { $0.deadline > deadline } ?? state.sleepers.endIndex
            state.sleepers.insert(Sleeper(id: id, deadline: deadline, continuation: continuation), at: place)
        }
    }

    /// Suspends until `register`'s entry is resumed, or the task cancelled.
    private func suspend(
        _ register: (inout State, UInt64, CheckedContinuation<Void, any Error>) -> Void
    ) async throws {
        let id = state.withLock { $0.newID() }
        defer { _ = state.withLock { $0.cancelled.remove(id) } }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                let satisfied = state.withLock { state -> [Watcher] in
                    guard state.cancelled.remove(id) == nil else {
                        continuation.resume(throwing: CancellationError())
                        return []
                    }
                    register(&state, id, continuation)
                    return state.takeSatisfiedWatchers()
                }
                for watcher in satisfied { watcher.continuation.resume() }
            }
        } onCancel: {
            cancel(id)
        }
    }

    private func cancel(_ id: UInt64) {
        let (cancelled, satisfied) = state.withLock { state in
            // The next wake is another when a sleeper goes.
            (state.remove(id), state.takeSatisfiedWatchers())
        }
        cancelled?.resume(throwing: CancellationError())
        for watcher in satisfied { watcher.continuation.resume() }
    }
}

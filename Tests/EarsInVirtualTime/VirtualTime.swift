internal import Glibc
internal import Synchronization

/// Time that moves only when nothing is left to do, so that hours of waiting take no time and every run is the same.
///
/// All of Swift's concurrency is led through one queue on the calling thread, with the hook that the runtime has for it
/// (`swift_task_enqueueGlobal_hook`). One in a process, from its first task on.
public final class VirtualTime: Clock, Sendable {
    public typealias Duration = Swift.Duration

    public struct Instant: InstantProtocol {
        public var offset: Swift.Duration

        public func advanced(by duration: Swift.Duration) -> Instant { Instant(offset: offset + duration) }
        public func duration(to other: Instant) -> Swift.Duration { other.offset - offset }
        public static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    private struct Sleeper {
        let id: UInt64
        let deadline: Swift.Duration
        let wake: @Sendable (CancellationError?) -> Void
    }

    private struct State {
        var now = Swift.Duration.zero
        var lastID: UInt64 = 0
        var sleepers: [Sleeper] = []
        var cancelled: Set<UInt64> = []
        /// Nothing waits any more.
        var isOver = false
    }

    private let state = Mutex(State())

    public init() {}

    public var now: Instant { Instant(offset: elapsed) }
    public var elapsed: Swift.Duration { state.withLock(\.now) }
    public var minimumResolution: Swift.Duration { .nanoseconds(1) }

    public func sleep(until deadline: Instant, tolerance: Swift.Duration?) async throws {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                let isCancelled = state.withLock { state in
                    guard state.cancelled.remove(id) == nil, !state.isOver else { return true }
                    state.sleepers.append(
                        Sleeper(id: id, deadline: deadline.offset) { error in
                            if let error { continuation.resume(throwing: error) } else { continuation.resume() }
                        })
                    return false
                }
                if isCancelled { continuation.resume(throwing: CancellationError()) }
            }
        } onCancel: {
            let sleeper = state.withLock { state -> Sleeper? in
                guard let place = state.sleepers.firstIndex(where: { $0.id == id }) else {
                    state.cancelled.insert(id)
                    return nil
                }
                return state.sleepers.remove(at: place)
            }
            sleeper?.wake(CancellationError())
        }
    }

    /// Lets time pass, whatever becomes of the task.
    public func pass(_ duration: Swift.Duration) async {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            let isOver = state.withLock { state in
                state.lastID += 1
                guard !state.isOver else { return true }
                state.sleepers.append(
                    Sleeper(id: state.lastID, deadline: state.now + duration) { _ in continuation.resume() })
                return false
            }
            if isOver { continuation.resume() }
        }
    }

    /// Lets every task that still waits come to its end: what it does counts no more.
    public func end() {
        let sleepers = state.withLock { state in
            state.isOver = true
            defer { state.sleepers = [] }
            return state.sleepers
        }
        for sleeper in sleepers { sleeper.wake(CancellationError()) }
        TaskQueue.shared.drain()
    }

    /// When the next sleeper wakes; nil where nobody sleeps.
    private var nextWake: Swift.Duration? { state.withLock { $0.sleepers.map(\.deadline).min() } }

    /// Runs a task to its end: what is ready first, then the next thing that time brings.
    ///
    /// - Parameters:
    ///   - nextEvent: when something outside happens by itself; nil where nothing does.
    ///   - happen: lets it happen.
    ///   - isDead: whether the task will never end, for a reason that is known.
    /// - Returns: nil where the task waits for something that never comes.
    public func run<Value: Sendable>(
        _ task: Task<Value, Never>, nextEvent: () -> Swift.Duration?, happen: (Swift.Duration) -> Void,
        isDead: () -> Bool
    ) -> Value? {
        let result = Mutex<Value?>(nil)
        Task {
            let value = await task.value
            result.withLock { $0 = value }
        }
        while true {
            TaskQueue.shared.drain()
            if let value = result.withLock(\.self) { return value }
            guard !isDead() else { return nil }
            guard let next = [nextWake, nextEvent()].compactMap(\.self).min() else { return nil }
            state.withLock { $0.now = max($0.now, next) }
            happen(elapsed)
            wake()
        }
    }

    private func wake() {
        let due = state.withLock { state in
            let due = state.sleepers.filter { $0.deadline <= state.now }.sorted { $0.id < $1.id }
            state.sleepers.removeAll { $0.deadline <= state.now }
            return due
        }
        for sleeper in due { sleeper.wake(nil) }
    }
}

/// Every task of this process, in the order in which they became ready.
public final class TaskQueue: TaskExecutor {
    static let shared = TaskQueue()

    private let jobs = Mutex<[UnownedJob]>([])

    private typealias Original = @convention(thin) (UnownedJob) -> Void
    private typealias Hook = @convention(thin) (UnownedJob, Original) -> Void

    /// Takes the place of the thread pool. Called once, before the first task.
    public static func takeOver() {
        guard let symbol = dlsym(nil, "swift_task_enqueueGlobal_hook") else {
            preconditionFailure("this runtime of Swift has no hook for its tasks")
        }
        symbol.assumingMemoryBound(to: Optional<Hook>.self).pointee = { job, _ in TaskQueue.shared.add(job) }
    }

    public func enqueue(_ job: consuming ExecutorJob) { add(UnownedJob(job)) }

    private func add(_ job: UnownedJob) { jobs.withLock { $0.append(job) } }

    func drain() {
        while true {
            let ready = jobs.withLock { jobs in
                defer { jobs.removeAll(keepingCapacity: true) }
                return jobs
            }
            guard !ready.isEmpty else { return }
            for job in ready { job.runSynchronously(on: asUnownedTaskExecutor()) }
        }
    }
}

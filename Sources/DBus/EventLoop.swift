import CDBus
import Dispatch
import Glibc
import Synchronization
import Threads

/// One thread for all that talks over descriptors: it waits for them, and runs what is isolated to it.
///
/// Whatever has it as its executor (connections to buses, the objects of BlueZ, streams of packets) reaches each other
/// without a change of threads, and what came over a descriptor is handled on the thread that waited for it. A method
/// call and its reply cost little more than the two system calls they are.
///
/// Nothing that runs here may block: connecting, which libdbus does blocking, happens on a thread of its own.
package final class EventLoop: SerialExecutor {
    /// The process's. It never ends.
    package static let shared: EventLoop = {
        let descriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        return EventLoop(waker: descriptor < 0 ? .failure(Fault(errno: errno)) : .success(descriptor))
    }()

    private enum Work {
        case job(UnownedJob)
        case taskJob(UnownedJob)
        case body(@Sendable () -> Void)
    }

    private struct State: ~Copyable {
        var work: [Work] = []
        var watches: [UInt64: Watch] = [:]
        var lastWatch: UInt64 = 0
        /// Counts changes of `watches`.
        var generation: UInt64 = 0
        /// The thread waits, or is about to: whoever has something for it must wake it.
        var isWaiting = false

        /// Whether the thread waits; nobody else needs to wake it then.
        mutating func takeWaiting() -> Bool {
            defer { isWaiting = false }
            return isWaiting
        }
    }

    /// A descriptor that is waited for.
    private struct Watch {
        let descriptor: Int32
        let events: Int16
        var isWanted: Bool
        let onReady: @Sendable (Int16) -> Void
    }

    /// What one poll(2) waits for: the waker, and then the watches.
    private struct PollSet {
        var generation: UInt64 = 0
        var identifiers: [UInt64] = []
        var entries: [pollfd]
    }

    /// There was no eventfd to be had.
    struct Fault: Error {
        let errno: Int32
    }

    private let state = Mutex(State())
    /// An eventfd.
    private let waker: Result<Int32, Fault>
    /// Wakes the thread where there is no eventfd.
    private let alarm = DispatchSemaphore(value: 0)
    private let thread = Atomic<UInt>(0)

    /// After so many batches of jobs the descriptors get their turn.
    private static let batchesPerTurn = 64

    /// Without an eventfd it runs what it is given, and waits for no descriptor.
    init(waker: Result<Int32, Fault>) {
        self.waker = waker
        DetachedThread.startOrBorrow(signals: .blocked) { [self] in run() }
    }

    /// `errno` where there is no eventfd: nothing can be waited for, and no connection be opened.
    var fault: Int32? {
        if case .failure(let fault) = waker { fault.errno } else { nil }
    }

    /// Runs `body` here from its first wait on, but for what is isolated to other threads. A continuation resumes a task in the pool, on whatever
    /// actor it waited, unless the task prefers another executor: here that spares two switches of threads.
    package static func running<Value, Failure: Error>(
        _ body: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        try await withTaskExecutorPreference(taskExecutor, operation: body)
    }

    private static let taskExecutor = LoopTaskExecutor()

    package func enqueue(_ job: consuming ExecutorJob) { add(.job(UnownedJob(job))) }

    fileprivate func enqueue(task job: UnownedJob) { add(.taskJob(job)) }

    /// Runs `body` here after what is running or waiting to run.
    package func async(_ body: @escaping @Sendable () -> Void) { add(.body(body)) }

    package func checkIsolated() { precondition(isCurrent, "not on the event loop's thread") }

    private var isCurrent: Bool { thread.load(ordering: .relaxed) == UInt(pthread_self()) }

    private func add(_ work: Work) {
        let mustWake = state.withLock { state in
            state.work.append(work)
            return state.takeWaiting()
        }
        if mustWake { wake() }
    }

    private func wake() {
        switch waker {
        case .success(let descriptor): eventfd_write(descriptor, 1)
        case .failure: alarm.signal()
        }
    }

    // MARK: Watches

    /// Starts unwanted. The descriptor stays open until ``remove(_:)``.
    ///
    /// - Parameters:
    ///   - events: `POLLIN` or `POLLOUT`.
    ///   - onReady: is called here with what poll(2) told, as long as it is wanted.
    func add(_ descriptor: Int32, events: Int32, onReady: @escaping @Sendable (Int16) -> Void) -> UInt64 {
        state.withLock { state in
            state.lastWatch += 1
            state.watches[state.lastWatch] = Watch(
                descriptor: descriptor, events: Int16(events), isWanted: false, onReady: onReady)
            return state.lastWatch
        }
    }

    func want(_ identifier: UInt64, _ isWanted: Bool) {
        change { $0[identifier]?.isWanted = isWanted }
    }

    func remove(_ identifier: UInt64) {
        change { $0[identifier] = nil }
    }

    private func change(_ change: (inout [UInt64: Watch]) -> Void) {
        let mustWake = state.withLock { state in
            change(&state.watches)
            state.generation += 1
            return state.takeWaiting()
        }
        if mustWake { wake() }
    }

    // MARK: The thread

    private func run() {
        thread.store(UInt(pthread_self()), ordering: .relaxed)
        var batch: [Work] = []
        // poll(2) passes over a negative descriptor.
        var set = PollSet(entries: [pollfd(fd: (try? waker.get()) ?? -1, events: Int16(POLLIN), revents: 0)])
        while true {
            var batches = 0
            while batches < Self.batchesPerTurn, runBatch(&batch) { batches += 1 }
            let mayWait = prepare(&set)
            let ready = wait(&set, mayWait)
            state.withLock { $0.isWaiting = false }
            if ready > 0 { tell(set) }
        }
    }

    /// - Returns: how many descriptors are ready.
    private func wait(_ set: inout PollSet, _ mayWait: Bool) -> Int32 {
        guard fault == nil else {
            if mayWait { alarm.wait() }
            return 0
        }
        return poll(&set.entries, nfds_t(set.entries.count), mayWait ? -1 : 0)
    }

    /// - Returns: whether there was anything to do.
    private func runBatch(_ batch: inout [Work]) -> Bool {
        state.withLock { swap(&batch, &$0.work) }
        for work in batch {
            switch work {
            case .job(let job): job.runSynchronously(on: asUnownedSerialExecutor())
            case .taskJob(let job): job.runSynchronously(on: Self.taskExecutor.asUnownedTaskExecutor())
            case .body(let body): body()
            }
        }
        defer { batch.removeAll(keepingCapacity: true) }
        return !batch.isEmpty
    }

    /// - Returns: whether the thread has nothing to do but to wait.
    private func prepare(_ set: inout PollSet) -> Bool {
        state.withLock { state in
            if set.generation != state.generation {
                set.generation = state.generation
                let wanted = state.watches.filter(\.value.isWanted)
                set.identifiers = Array(wanted.keys)
                set.entries.removeLast(set.entries.count - 1)
                set.entries += wanted.values.map { pollfd(fd: $0.descriptor, events: $0.events, revents: 0) }
            }
            state.isWaiting = state.work.isEmpty
            return state.isWaiting
        }
    }

    private func tell(_ set: PollSet) {
        if set.entries[0].revents != 0 {
            var count: eventfd_t = 0
            eventfd_read(set.entries[0].fd, &count)
        }
        for (identifier, entry) in zip(set.identifiers, set.entries.dropFirst()) where entry.revents != 0 {
            // The one before may have put an end to it.
            let watch = state.withLock { $0.watches[identifier] }
            if let watch, watch.isWanted { watch.onReady(entry.revents) }
        }
    }
}

/// The event loop's thread for tasks that belong to no actor. Another object than the loop: being on the thread is not
/// being isolated to it.
private final class LoopTaskExecutor: TaskExecutor {
    func enqueue(_ job: consuming ExecutorJob) { EventLoop.shared.enqueue(task: UnownedJob(job)) }
}

import Glibc
import Synchronization
import TestSupport
import Testing
import Threads

@Suite(.timeLimit(.minutes(1))) struct WorkerThreadTests {
    /// What was noted, and by which threads.
    private final class Notes: Sendable {
        private let state = Mutex<(words: [String], threads: Set<UInt>)>(([], []))

        var words: [String] { state.withLock(\.words) }
        var threads: Set<UInt> { state.withLock(\.threads) }

        func add(_ word: String) {
            let thread = UInt(pthread_self())
            state.withLock {
                $0.words.append(word)
                $0.threads.insert(thread)
            }
        }
    }

    private func done(_ worker: WorkerThread) async {
        await withCheckedContinuation { continuation in worker.run { continuation.resume() } }
    }

    @Test func `it does what it is handed in that order, after what it was made with`() async throws {
        let notes = Notes()
        let made = WorkerThread(first: { notes.add("first") })
        let worker = try #require(made)
        for number in 1...20 { worker.run { notes.add("\(number)") } }
        await done(worker)
        #expect(notes.words == ["first"] + (1...20).map { "\($0)" })
        #expect(notes.threads.count == 1)
    }

    @Test func `a task that prefers it goes on there after every wait`() async throws {
        let notes = Notes()
        let worker = try #require(WorkerThread())
        worker.run { notes.add("body") }
        await withTaskExecutorPreference(worker) {
            notes.add("task")
            await done(worker)
            notes.add("after a body")
            await Task.yield()
            notes.add("after the others")
        }
        #expect(notes.words == ["body", "task", "after a body", "after the others"])
        #expect(notes.threads.count == 1)
    }

    @Test func `what a task still has to do there is done although nobody else holds the thread`() async throws {
        let gate = Gate()
        let task = try {
            let worker = try #require(WorkerThread())
            return Task(executorPreference: worker) {
                await gate.opened()
                return UInt(pthread_self())
            }
        }()
        gate.open()
        #expect(await task.value != UInt(pthread_self()))
    }

    @Test func `its thread ends with the last reference`() async throws {
        final class Held: Sendable {
            let released: @Sendable () -> Void
            init(released: @escaping @Sendable () -> Void) { self.released = released }
            deinit { released() }
        }
        await withCheckedContinuation { continuation in
            let held = Held { continuation.resume() }
            // What the thread was made with lives as long as the thread does.
            _ = WorkerThread(first: { withExtendedLifetime(held) {} })
        }
    }
}

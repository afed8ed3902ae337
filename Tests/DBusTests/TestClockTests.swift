import Synchronization
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct TestClockTests {
    @Test func `those who sleep are woken when their time has come, and not before`() async throws {
        let clock = TestClock()
        let early = Task { try await clock.sleep(for: .seconds(1)) }
        try await clock.sleepers(1)
        let late = Task { try await clock.sleep(for: .seconds(2)) }
        try await clock.sleepers(2)
        #expect(clock.timeToNextWake == .seconds(1))
        clock.advance(by: .milliseconds(999))
        #expect(clock.sleeperCount == 2)
        clock.advance(by: .milliseconds(1))
        try await early.value
        #expect(clock.sleeperCount == 1)
        #expect(clock.timeToNextWake == .seconds(1))
        clock.advance(by: .seconds(9))
        try await late.value
        #expect(clock.sleeperCount == 0)
        #expect(clock.now.offset == .seconds(10))
    }

    @Test(arguments: [true, false]) func `the next wake is awaited, through advances and cancellations`(
        byAdvance: Bool
    ) async throws {
        let clock = TestClock()
        let near = Task { try await clock.sleep(for: .seconds(1)) }
        let far = Task { try await clock.sleep(for: .seconds(3)) }
        try await clock.sleepers(2)
        let watcher = Task { try await clock.nextWake(in: byAdvance ? .seconds(2) : .seconds(3)) }
        if byAdvance { clock.advance(by: .seconds(1)) } else { near.cancel() }
        try await watcher.value
        #expect(clock.sleeperCount == 1)
        far.cancel()
        _ = await near.result
        _ = await far.result
    }

    @Test func `who sleeps until now or earlier does not sleep`() async throws {
        let clock = TestClock()
        clock.advance(by: .seconds(1))
        try await clock.sleep(for: .zero)
        try await clock.sleep(until: TestClock.Instant(), tolerance: nil)
        #expect(clock.sleeperCount == 0)
    }

    @Test func `a cancelled sleeper and a cancelled watcher end at once`() async throws {
        let clock = TestClock()
        let sleeper = Task { try await clock.sleep(for: .seconds(1)) }
        let watcher = Task { try await clock.sleepers(2) }
        try await clock.sleepers(1)
        watcher.cancel()
        sleeper.cancel()
        await #expect(throws: CancellationError.self) { try await watcher.value }
        await #expect(throws: CancellationError.self) { try await sleeper.value }
        #expect(clock.sleeperCount == 0)
    }

    @Test func `who is cancelled already does not sleep`() async throws {
        let clock = TestClock()
        let sleeper = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await clock.sleep(for: .seconds(1))
        }
        await #expect(throws: CancellationError.self) { try await sleeper.value }
        #expect(clock.sleeperCount == 0)
    }
}

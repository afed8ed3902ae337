internal import Ears

/// How waiting is done: a clock from outside, and the deadlines.
struct Pace: Sendable {
    let clock: any Clock<Duration>
    let deadlines: PhaseDeadlines

    func stopwatch() -> Stopwatch { Stopwatch(clock) }

    /// Waits for the next poll.
    ///
    /// - Throws: the phase's deadline once it has passed, before waiting; a cancellation.
    func next(
        _ stopwatch: Stopwatch, deadline: Duration, phase: InstallationPhase
    ) async throws(UploadStop) {
        guard stopwatch.elapsed() < deadline else { throw .deadline(phase) }
        try await pause(deadlines.pollInterval)
    }

    func pause(_ duration: Duration) async throws(UploadStop) {
        do { try await clock.sleep(for: duration) } catch { throw .cancelled }
    }
}

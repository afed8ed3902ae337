public import CommandLineTools
public import EarsCommandLine
public import Ears
public import FirmwareUpdate

extension EarsFinder {
    /// How the ears stand, an attempt that was left half-way settled; what is waited for is told to people as an
    /// installation tells it, also where JSON is printed in the end.
    ///
    /// - Parameter waiting: watches a trial boot to its end.
    public func situation(
        over session: EarsSession, waiting: Bool, _ invocation: Invocation
    ) async throws(CommandFailure) -> UpdateSituation {
        let surroundings = Installation.Surroundings(
            central: central, clock: clock, log: AttemptLog(stateFolder: directories.state))
        let reporter = InstallationReporter(invocation.withoutJSON, now: Stopwatch(clock).elapsed)
        let heartbeat = Task { await reporter.keepTelling(on: clock) }
        let result: Result<UpdateSituation, InstallationError>
        do throws(InstallationError) {
            result = .success(
                try await UpdateSituation.read(
                    over: session, in: surroundings, waiting: waiting,
                    report: { event in if case .phase = event { reporter.report(event) } }))
        } catch {
            result = .failure(error)
        }
        // No line of it comes after the result.
        heartbeat.cancel()
        await heartbeat.value
        reporter.close()
        do { return try result.get() } catch { throw CommandFailure(error) }
    }
}

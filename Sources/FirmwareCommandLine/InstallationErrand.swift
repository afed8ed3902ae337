public import CommandLineTools
public import EarsCommandLine
import FirmwareUpdate
import Logind

/// One run of `install` on one pair of ears: whether that was wanted, the way there, and how it is told.
public struct InstallationErrand: Sendable {
    private let invocation: Invocation
    private let finder: EarsFinder
    private let options: InstallationRequest
    private let reporter: InstallationReporter

    /// - Parameter now: any clock's time since any moment, for rates.
    public init(
        invocation: Invocation, finder: EarsFinder, request: InstallationRequest,
        now: @escaping @Sendable () -> Duration
    ) {
        self.invocation = invocation
        self.finder = finder
        options = request
        reporter = InstallationReporter(invocation, now: now)
    }

    private var console: Console { invocation.console }

    /// - Throws: only where no JSON Lines are wanted: their last record holds the failure.
    public func run() async throws(CommandFailure) -> ExitStatus {
        // A task of its own: a phase goes on after a cancellation too.
        let heartbeat = Task { await reporter.keepTelling(on: finder.clock) }
        defer { heartbeat.cancel() }
        do throws(CommandFailure) {
            return try await course()
        } catch {
            guard invocation.wantsJSON else { throw error }
            reporter.conclude(error)
            return error.status
        }
    }

    private func course() async throws(CommandFailure) -> ExitStatus {
        // Everything that can be known without the radio comes first.
        let source = try await FirmwareSource.open(options, finder.directories, invocation)
        let owned = try await finder.open(options.earsOptions)
        let installation = EarsInstallation(
            source: source, request: options, surroundings: finder.installationSurroundings, reporter: reporter,
            confirm: { [invocation, options] plan throws(CommandFailure) in
                invocation.console.note(plan)
                try await invocation.ask("Install it?", isAnswered: options.isConfirmed, by: "--yes")
            })
        do throws(CommandFailure) {
            let conclusion = try await installation.run(on: owned)
            await owned.close()
            return conclude(conclusion)
        } catch {
            await owned.close()
            throw error
        }
    }

    private func conclude(_ conclusion: EarsInstallation.Conclusion) -> ExitStatus {
        let told = ToldConclusion(conclusion, interruption: invocation.interruption.cause)
        reporter.conclude(told.verdict, told.members)
        guard !invocation.wantsJSON else { return told.status }
        if told.status == .done {
            console.show(told.sentence)
        } else {
            console.complain("espurr-ota: \(told.sentence)")
            if let remedy = told.remedy { console.complain("  → \(remedy)") }
        }
        return told.status
    }
}

extension EarsFinder {
    var installationSurroundings: Installation.Surroundings {
        Installation.Surroundings(
            central: central, clock: clock, log: AttemptLog(stateFolder: directories.state), keepAwake: keepAwake)
    }

    /// A machine without logind, or one that does not let us, installs all the same.
    private func keepAwake() async -> @Sendable () -> Void {
        do throws(SleepInhibitionError) {
            let lock = try await SleepInhibitor().inhibit(who: "espurr-ota", why: "firmware is being put on ears")
            console.detail("this machine is kept from sleeping")
            return { lock.release() }
        } catch {
            console.detail("this machine may fall asleep meanwhile: \(error.inWords)")
            return {}
        }
    }
}

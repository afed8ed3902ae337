import Bluetooth
import CommandLineTools
import EarsCommandLine
import Firmware
import FirmwareUpdate

/// The installation on one pair of ears of a bench.
struct BenchInstallation: Sendable {
    let finder: EarsFinder
    let request: InstallationRequest
    let source: FirmwareSource
    let invocation: Invocation
    /// Whether what is unknown of the last attempt is settled before anything is sent.
    let settlesFirst: Bool
    let reporter: BenchReporter
    let now: @Sendable () -> Duration

    /// Whatever happens is a conclusion, and its last record is printed when this returns.
    func run(_ pair: SeveralEars.Pair, on adapter: AdapterName) async -> ToldConclusion {
        let teller = InstallationReporter(invocation, to: reporter.begin(pair, on: adapter), now: now)
        // A task of its own: a phase goes on after a cancellation too.
        let heartbeat = Task { await teller.keepTelling(on: finder.clock) }
        defer { heartbeat.cancel() }
        do throws(CommandFailure) {
            let conclusion = try await course(pair, on: adapter, teller)
            teller.conclude(conclusion.verdict, conclusion.members)
            return conclusion
        } catch {
            teller.record(error)
            return ToldConclusion(error)
        }
    }

    private func course(
        _ pair: SeveralEars.Pair, on adapter: AdapterName, _ teller: InstallationReporter
    ) async throws(CommandFailure) -> ToldConclusion {
        var confirmed: ToldConclusion?
        if settlesFirst {
            switch try await settle(pair, on: adapter, teller) {
            case .conclude(let settled): return settled
            case .goOn(let settled): confirmed = settled
            }
        }
        let installation = EarsInstallation(
            source: source, request: request, surroundings: finder.installationSurroundings, reporter: teller,
            isRetry: settlesFirst, confirm: { plan throws(CommandFailure) in finder.console.detail(plan) })
        let conclusion = try await withEars(pair, on: adapter) { owned throws(CommandFailure) in
            try await installation.run(on: owned)
        }
        // Nothing was sent: what was settled is what came of it.
        if let confirmed, case .upToDate = conclusion { return confirmed }
        return ToldConclusion(conclusion, interruption: invocation.interruption.cause)
    }

    private enum Settled {
        case conclude(ToldConclusion)
        /// Nil where nothing was open, or the old firmware runs.
        case goOn(confirmed: ToldConclusion?)
    }

    /// Settles the last attempt on the ears, as `status --wait` does.
    private func settle(
        _ pair: SeveralEars.Pair, on adapter: AdapterName, _ teller: InstallationReporter
    ) async throws(CommandFailure) -> Settled {
        let surroundings = finder.installationSurroundings
        do throws(AttemptLogError) {
            guard try surroundings.log.unsettled(on: pair.name.description) != nil else {
                return .goOn(confirmed: nil)
            }
        } catch {
            throw CommandFailure(error)
        }
        teller.tell("settling", [], "settling how the last attempt ended")
        let situation = try await withEars(pair, on: adapter) { owned throws(CommandFailure) in
            do throws(InstallationError) {
                return try await UpdateSituation.read(
                    over: owned.session, in: surroundings, waiting: true, report: teller.report)
            } catch {
                throw CommandFailure(error)
            }
        }
        guard let attempt = situation.attempt, let verdict = situation.verdict else { return .goOn(confirmed: nil) }
        let told = ToldConclusion(
            VerdictReport(
                verdict, version: attempt.target.version, milestone: attempt.milestone, latest: attempt.latest,
                interruption: invocation.interruption.cause), verdict, attempt, attempt.latest)
        teller.tell("settled", [("verdict", .string(told.verdict))] + told.members, told.sentence)
        switch AfterSettling(verdict) {
        case .conclude: return .conclude(told)
        case .goOn: return .goOn(confirmed: verdict == .confirmed ? told : nil)
        }
    }

    private func withEars<Value: Sendable>(
        _ pair: SeveralEars.Pair, on adapter: AdapterName,
        _ body: (OwnedSession) async throws(CommandFailure) -> Value
    ) async throws(CommandFailure) -> Value {
        let owned = try await finder.open(pair, on: adapter, within: request.earsOptions.timeout)
        do throws(CommandFailure) {
            let value = try await body(owned)
            await owned.close()
            return value
        } catch {
            await owned.close()
            throw error
        }
    }
}

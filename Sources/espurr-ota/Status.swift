import CommandLineTools
import Ears
import EarsCommandLine
import FirmwareCommandLine
import FirmwareUpdate

/// `status`: what runs and what is selected; settles an attempt that was left half-way.
struct Status: Verb {
    private static let wait = Option("--wait", "wait for the end of a trial boot, at most 120 s")

    static let usage = Usage(
        "status", "say what runs and what is selected, and settle an unknown outcome",
        options: [wait] + EarsOptions.options,
        details: [
            "Where the last attempt on these ears was left half-way, a fresh read settles it and the status is the "
                + "verdict's; else it is 0."
        ])

    let options: EarsOptions
    let waits: Bool

    init(_ arguments: ParsedArguments) throws(CommandFailure) {
        options = try EarsOptions(arguments)
        waits = arguments.has(Self.wait)
    }

    var isForItsOutput: Bool { true }

    func run(_ invocation: Invocation) async throws(CommandFailure) -> ExitStatus {
        let finder = try EarsFinder(invocation)
        let owned = try await finder.open(options)
        let situation: UpdateSituation
        do throws(CommandFailure) {
            situation = try await finder.situation(over: owned.session, waiting: waits, invocation)
            await owned.close()
        } catch {
            await owned.close()
            throw error
        }
        return report(situation, invocation)
    }

    private func report(_ situation: UpdateSituation, _ invocation: Invocation) -> ExitStatus {
        let console = invocation.console
        let reading = FirmwareReading(situation.reading)
        let settled = situation.attempt.flatMap { attempt in situation.verdict.map { (attempt, $0) } }
        let verdict = settled.map { attempt, verdict in
            VerdictReport(
                verdict, version: attempt.target.version, milestone: attempt.milestone, latest: attempt.latest,
                interruption: invocation.interruption.cause)
        }
        if invocation.wantsJSON {
            var members: [(String, JSON)] = [("reading", (situation.attempt?.latest ?? reading).json)]
            if let settled, let verdict {
                members.append(("attempt", settled.0.json(verdict)))
            } else {
                members.append(("attempt", .null))
            }
            console.print(JSON.document(invocation.schema, members))
        } else {
            for line in (situation.attempt?.latest ?? reading).lines { console.show(line) }
            if reading.mode == .recovery {
                console.show("recovery mode: \(reading.recoveryInWords)")
            }
            console.show("boot count \(reading.bootCount)")
            if let verdict { console.show("last attempt: \(verdict.sentence)") }
        }
        if let verdict, verdict.status != .done, let remedy = verdict.remedy { console.note("  → \(remedy)") }
        return verdict?.status ?? .done
    }
}

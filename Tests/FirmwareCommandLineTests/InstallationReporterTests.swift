import FirmwareCommandLine
import FirmwareUpdate
import Synchronization
import TestSupport
import Testing

@testable import CommandLineTools

@Suite struct `Telling an installation` {
    /// What was printed, a line each; the task that prints the last line wanted is cancelled there.
    private final class Lines: Sendable {
        private let lines = Mutex<[String]>([])
        let wanted: Int

        init(wanted: Int) { self.wanted = wanted }

        var all: [String] { lines.withLock(\.self) }

        func console(isTerminal: Bool = false) -> Console {
            let style = Console.Style(isTerminal: isTerminal, hasColour: false, width: 80)
            let input = Console.Input(descriptor: -1, isTerminal: false)
            return Console(output: style, messages: style, input: input) { [self] _, bytes in
                let count = lines.withLock { lines in
                    lines.append(String(decoding: bytes, as: UTF8.self))
                    return lines.count
                }
                if count == wanted { withUnsafeCurrentTask { $0?.cancel() } }
                return true
            }
        }
    }

    private func reporter(
        _ lines: Lines, _ clock: LeapingClock, json: Bool, isTerminal: Bool = false,
        _ interruption: Interruption = Interruption()
    ) -> InstallationReporter {
        let invocation = Invocation(
            program: "espurr-ota", verb: "install", console: lines.console(isTerminal: isTerminal), environment: [:],
            wantsJSON: json, interruption: interruption)
        return InstallationReporter(invocation, version: "1.5.0") { clock.now.offset }
    }

    private func record(_ sequence: Int, _ members: String) -> String {
        #"{"schema":"espurr.install/1","sequence":\#(sequence),\#(members)}"# + "\n"
    }

    @Test func `a phase without bytes tells every ten seconds that it goes on`() async {
        let (lines, clock) = (Lines(wanted: 3), LeapingClock())
        let reporter = reporter(lines, clock, json: true)
        reporter.report(.phase(.erasing))
        await Task { await reporter.keepTelling(on: clock) }.value
        #expect(
            lines.all == [
                record(1, #""event":"phase","phase":"erasing""#),
                record(2, #""event":"heartbeat","phase":"erasing","seconds":10"#),
                record(3, #""event":"heartbeat","phase":"erasing","seconds":20"#),
            ])
    }

    @Test func `away from a terminal it is a line, on one a line that moves every second`() async {
        for (isTerminal, expected) in [
            (false, ["erasing the slot\n", "erasing the slot  10 s\n"]),
            (true, ["erasing the slot\n", "\r\u{1B}[Kerasing the slot  1 s"]),
        ] {
            let (lines, clock) = (Lines(wanted: 2), LeapingClock())
            let reporter = reporter(lines, clock, json: false, isTerminal: isTerminal)
            reporter.report(.phase(.erasing))
            await Task { await reporter.keepTelling(on: clock) }.value
            #expect(lines.all == expected)
        }
    }

    @Test func `the trial boot is watched with a word of how long at most`() async {
        for (isTerminal, expected) in [
            (false, "watching the trial boot  10 of at most 120 s\n"),
            (true, "\r\u{1B}[Kwatching the trial boot  1 of at most 120 s"),
        ] {
            let (lines, clock) = (Lines(wanted: 2), LeapingClock())
            let reporter = reporter(lines, clock, json: false, isTerminal: isTerminal)
            reporter.report(.phase(.watching))
            await Task { await reporter.keepTelling(on: clock) }.value
            #expect(lines.all == ["watching the trial boot, at most 120 s\n", expected])
        }
    }

    @Test func `from a signal on it tells that it is cancelling, and no longer that it sends`() async {
        for (isTerminal, json, expected) in [
            (true, false, ["sending\n", "\r\u{1B}[Kcancelling", "\r\u{1B}[Kcancelling  1 s"]),
            (false, false, ["sending\n", "cancelling  10 s\n", "cancelling  20 s\n"]),
            (
                false, true,
                [
                    record(1, #""event":"phase","phase":"sending""#),
                    record(2, #""event":"heartbeat","phase":"cancelling","seconds":10"#),
                    record(3, #""event":"heartbeat","phase":"cancelling","seconds":20"#),
                ]
            ),
        ] {
            let (lines, clock, interruption) = (Lines(wanted: 3), LeapingClock(), Interruption())
            let reporter = reporter(lines, clock, json: json, isTerminal: isTerminal, interruption)
            reporter.report(.phase(.sending))
            interruption.receive(.interrupt)
            // The exchange in flight may still bring one.
            reporter.report(.progress(bytes: 1, total: 2))
            await Task { await reporter.keepTelling(on: clock) }.value
            #expect(lines.all == expected)
        }
    }

    @Test(arguments: [
        (CommandLineTools.ExitStatus.policyRefused, "refused"), (.earsNotFound, "refused"), (.cancelled, "cancelled"),
        (.terminated, "cancelled"), (.hungUp, "cancelled"),
    ])
    func `what ended before it began has a last record with a verdict`(
        status: CommandLineTools.ExitStatus, verdict: String
    ) {
        let (lines, clock) = (Lines(wanted: .max), LeapingClock())
        let reporter = reporter(lines, clock, json: true)
        reporter.report(.cancelling(.begun))
        reporter.conclude(CommandFailure(status, code: "code", cause: "cause", remedy: "remedy"))
        let error = #"{"status":\#(status.rawValue),"code":"code","cause":"cause","remedy":"remedy"}"#
        #expect(
            lines.all == [
                record(1, #""event":"cancelling""#), "espurr-ota: cause\n", "  → remedy\n",
                record(
                    2, #""event":"verdict","verdict":"\#(verdict)","status":\#(status.rawValue),"error":\#(error)"#),
            ])
    }
}

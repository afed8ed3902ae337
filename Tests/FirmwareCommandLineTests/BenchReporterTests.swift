import Bluetooth
import CommandLineTools
import ControlProtocol
import EarsCommandLine
import Firmware
import FirmwareUpdate
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import FirmwareCommandLine

@Suite struct `Telling a bench` {
    private static let zero = AdapterName("hci0")!
    private static let one = AdapterName("hci1")!

    private final class Written: Sendable {
        private let text = Mutex<(output: String, messages: String)>(("", ""))
        var output: String { text.withLock { $0.output } }
        var messages: String { text.withLock { $0.messages } }

        func take(_ stream: Console.Stream, _ bytes: [UInt8]) {
            text.withLock {
                let words = String(decoding: bytes, as: UTF8.self)
                if stream == .output { $0.output += words } else { $0.messages += words }
            }
        }
    }

    private let written = Written()

    private func invocation(json: Bool = false, isTerminal: Bool = false) -> Invocation {
        let style = Console.Style(isTerminal: isTerminal, hasColour: false, width: 80)
        let input = Console.Input(descriptor: -1, isTerminal: false)
        let console = Console(output: style, messages: style, input: input) { [written] stream, bytes in
            written.take(stream, bytes)
            return true
        }
        return Invocation(
            program: "espurr-ota", verb: "install", console: console, environment: [:], wantsJSON: json,
            interruption: Interruption())
    }

    private func pair(_ name: String, _ address: String, on adapter: AdapterName) -> SeveralEars.Pair {
        let address = BluetoothAddress(address)!
        return SeveralEars.Pair(
            .address(address),
            [
                Sighting(
                    adapter: adapter, address: address, name: name, rssi: nil, isPaired: true, isBonded: true,
                    isConnected: false, services: [])
            ])
    }

    private var first: SeveralEars.Pair { pair("a", "C4:11:22:33:44:55", on: Self.zero) }
    private var second: SeveralEars.Pair { pair("b", "C4:11:22:33:44:66", on: Self.one) }

    private let failure = CommandFailure(.preflightRefused, code: "battery_low", cause: "cause", remedy: "charge them")

    @Test func `away from a terminal each pair has a line when it begins and one when it ends`() {
        let reporter = BenchReporter(invocation())
        reporter.announce([first, second], over: [Self.zero, Self.one], "the newest release")
        let voice = reporter.begin(first, on: Self.zero)
        voice.progress("sending  10 %")
        voice.note("sent")
        reporter.end(first, on: Self.zero, ToldConclusion(failure))
        let cancellation = CommandFailure(.cancelled, code: "cancelled", cause: "cancelled")
        reporter.skip(second, .notBegun(cancellation))
        #expect(reporter.conclude() == .someFailed)
        #expect(
            written.output == """
                a (C4:11:22:33:44:55): not installed: cause
                b (C4:11:22:33:44:66): not begun: the run was cancelled
                2 pairs of ears: 1 not begun; 1 not installed

                """)
        #expect(
            written.messages == """
                the newest release onto 2 pairs of ears over hci0, hci1:
                  a (C4:11:22:33:44:55)
                  b (C4:11:22:33:44:66)
                a (C4:11:22:33:44:55): begun on hci0
                  → a (C4:11:22:33:44:55): charge them
                espurr-ota: 2 of 2 pairs of ears failed
                  → espurr-ota install --retry-failed takes those again

                """)
    }

    @Test func `on a terminal each pair under way has a line that moves, in the order of the adapters`() {
        let reporter = BenchReporter(invocation(isTerminal: true))
        let other = reporter.begin(second, on: Self.one)
        let voice = reporter.begin(first, on: Self.zero)
        voice.progress("sending  10 %")
        other.note("erasing the slot")
        let last = written.messages.components(separatedBy: "\r\u{1B}[K\u{1B}[A\u{1B}[K\u{1B}[A\u{1B}[K").last
        #expect(
            last
                == "a (C4:11:22:33:44:55)  sending  10 %\nb (C4:11:22:33:44:66)  erasing the slot\n0 of 0 ended")
    }

    @Test func `records are numbered over all pairs, and say which each belongs to`() {
        let invocation = invocation(json: true)
        let reporter = BenchReporter(invocation)
        reporter.announce([first, second], over: [Self.zero, Self.one], "1.5.0")
        let tellers = [(first, Self.zero), (second, Self.one)].map { pair, adapter in
            InstallationReporter(invocation, to: reporter.begin(pair, on: adapter), now: { .zero })
        }
        tellers[1].report(.sent)
        tellers[0].report(.phase(.erasing))
        tellers[0].record(failure)
        reporter.end(first, on: Self.zero, ToldConclusion(failure))
        #expect(reporter.conclude() == .someFailed)
        let records = written.output.split(separator: "\n").compactMap { JSONDocument(parsing: String($0)) }
        #expect(records.map { $0["sequence"].integer } == Array(1...7))
        #expect(
            records.map { $0["event"].text } == ["bench", "begin", "begin", "milestone", "phase", "verdict", "summary"])
        #expect(records[0]["ears"].elements.map { $0["device"].text } == ["C4:11:22:33:44:55", "C4:11:22:33:44:66"])
        #expect(records[3]["device"] == "C4:11:22:33:44:66")
        #expect(records[3]["adapter"] == "hci1")
        #expect(records[5]["device"] == "C4:11:22:33:44:55")
        #expect(records[5]["error"]["code"] == "battery_low")
        #expect(records[6]["verdicts"] == .object(["refused": .integer(1)]))
        #expect(records[6]["status"] == 50)
        #expect(
            written.messages == """
                espurr-ota: 1 of 1 pair of ears failed
                  → espurr-ota install --retry-failed takes those again

                """)
    }
}

@Suite struct `The sum of a bench` {

    private func tally(_ ends: [(String, CommandLineTools.ExitStatus)]) -> BenchTally {
        ends.reduce(into: BenchTally()) { $0.add($1.0, $1.0, $1.1) }
    }

    @Test func `the good ones come first, then the others by name, in the words of their own lines`() {
        var tally = BenchTally()
        tally.add("unknown", VerdictName.unknown.inSum, .outcomeUnknown)
        tally.add("confirmed", VerdictName.confirmed.inSum, .done)
        tally.add("link_lost_old_firmware_runs", VerdictName.linkLostOldFirmwareRuns.inSum, .linkLost)
        tally.add("up_to_date", ToldConclusion.upToDateInSum, .done)
        tally.add("confirmed", VerdictName.confirmed.inSum, .done)
        #expect(
            tally.inWords
                == "2 confirmed; 1 up to date; 1 link lost, the old firmware runs; 1 outcome unknown")
        #expect(tally.failed == 2)
        #expect(
            tally.json.text
                == #"{"confirmed":2,"up_to_date":1,"link_lost_old_firmware_runs":1,"unknown":1}"#)
    }

    @Test func `what was never sent and what the ears refused are told apart, and share a verdict`() {
        var tally = BenchTally()
        let unsent = ToldConclusion(CommandFailure(.preflightRefused, code: "battery_low", cause: "cause"))
        tally.add(unsent.verdict, unsent.inSum, unsent.status)
        tally.add(VerdictName.refused.rawValue, VerdictName.refused.inSum, .earsRefused)
        #expect(tally.inWords == "1 not installed; 1 refused by the ears")
        #expect(tally.json.text == #"{"refused":2}"#)
    }

    @Test(arguments: VerdictName.allCases) func `no sum holds a record's code`(verdict: VerdictName) {
        #expect(!verdict.inSum.contains("_"))
    }

    @Test(arguments: [
        ([(String, CommandLineTools.ExitStatus)](), CommandLineTools.ExitStatus.done),
        ([("confirmed", .done), ("up_to_date", .done)], .done),
        ([("confirmed", .done), ("unknown", .outcomeUnknown)], .someFailed),
        ([("refused", .earsNotFound), ("refused", .earsNotFound)], .someFailed),
    ])
    func `0 where all came to a good end, else 50, whatever they have in common`(
        ends: [(String, CommandLineTools.ExitStatus)], status: CommandLineTools.ExitStatus
    ) {
        #expect(tally(ends).status(interruption: nil) == status)
    }

    @Test func `a signal's status stands, unless all came to a good end all the same`() {
        let cut = tally([("confirmed", .done), ("not_begun", .terminated)])
        #expect(cut.status(interruption: .terminate) == .terminated)
        #expect(tally([("confirmed", .done)]).status(interruption: .interrupt) == .done)
    }
}

@Suite struct `After an attempt was settled` {
    @Test(arguments: [
        Verdict.unknown(.noReading), .unknown(.onTrial), .notConfirmed(.stillOnTrial), .notConfirmed(.restless),
    ])
    func `what is still not known, or on trial, is left alone`(verdict: Verdict) {
        #expect(AfterSettling(verdict) == .conclude)
    }

    @Test(arguments: [
        Verdict.confirmed, .rolledBack, .cancelled, .linkLostOldFirmwareRuns(.attemptDied), .selectedNotRestarted,
        .refused(EarsRefusal(refusal: .imageInvalid)), .notConfirmed(.noRollback), .imageUnusable(.changedWhileRead),
    ])
    func `where it is known how the ears are, the installation finds out what is to be done`(verdict: Verdict) {
        #expect(AfterSettling(verdict) == .goOn)
    }
}

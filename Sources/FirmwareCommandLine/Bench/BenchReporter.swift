import Bluetooth
import CommandLineTools
import EarsCommandLine
import Synchronization

/// Tells a bench as it happens: on a terminal a line that moves for each pair under way, elsewhere a line for each that
/// began or ended, for scripts JSON Lines with the ears that each belongs to.
final class BenchReporter: Sendable {
    private struct State {
        var total = 0
        /// Whether a retry finds what came of this run.
        var isOnRecord = true
        var tally = BenchTally()
        /// Of the pairs under way, by adapter.
        var lines: [(adapter: AdapterName, text: String)] = []
    }

    private let invocation: Invocation
    private let records: RecordSequence
    private let state = Mutex(State())

    init(_ invocation: Invocation) {
        self.invocation = invocation
        records = RecordSequence(invocation)
    }

    private var console: Console { invocation.console }
    private var isTerminal: Bool { console.messages.isTerminal && !invocation.wantsJSON }

    /// What is about to be begun.
    func announce(_ pairs: [SeveralEars.Pair], over adapters: [AdapterName], _ wanted: String) {
        state.withLock { $0.total = pairs.count }
        guard invocation.wantsJSON else {
            let names = adapters.map(\.description).joined(separator: ", ")
            console.note("\(wanted) onto \(counted(pairs.count)) over \(names):")
            for pair in pairs { console.note("  \(pair.label)") }
            return
        }
        records.print(
            "bench",
            [
                ("wanted", .string(wanted)), ("adapters", .array(adapters.map { .string($0.description) })),
                ("ears", .array(pairs.map { .object(Self.about($0)) })),
            ])
    }

    /// The voice of one pair, which begins on an adapter.
    func begin(_ pair: SeveralEars.Pair, on adapter: AdapterName) -> InstallationVoice {
        let about = Self.about(pair) + [("adapter", .string(adapter.description))]
        let name = pair.label
        if invocation.wantsJSON {
            records.print("begin", about)
        } else if isTerminal {
            show("connecting", of: name, on: adapter)
        } else {
            console.note("\(name): begun on \(adapter)")
        }
        return InstallationVoice(
            isTerminal: isTerminal, records: records, about: about,
            // Away from a terminal the line that says how it ended is enough, however many there are.
            progress: { [self] line in if isTerminal { show(line, of: name, on: adapter) } },
            note: { [self] line in
                if isTerminal { show(line, of: name, on: adapter) } else { console.detail("\(name): \(line)") }
            })
    }

    /// The line of one pair that ended; its last record was printed already.
    func end(_ pair: SeveralEars.Pair, on adapter: AdapterName, _ conclusion: ToldConclusion) {
        state.withLock { state in
            state.tally.add(conclusion.verdict, conclusion.inSum, conclusion.status)
            state.lines.removeAll { $0.adapter == adapter }
        }
        tell(conclusion, of: pair)
        redraw()
    }

    /// Of a pair that nobody began.
    func skip(_ pair: SeveralEars.Pair, _ conclusion: ToldConclusion) {
        state.withLock { $0.tally.add(conclusion.verdict, conclusion.inSum, conclusion.status) }
        if invocation.wantsJSON {
            records.print("verdict", Self.about(pair) + [("verdict", .string(conclusion.verdict))] + conclusion.members)
        } else {
            tell(conclusion, of: pair)
        }
    }

    private func tell(_ conclusion: ToldConclusion, of pair: SeveralEars.Pair) {
        guard !invocation.wantsJSON else { return }
        console.show("\(pair.label): \(conclusion.sentence)")
        guard conclusion.status != .done, let remedy = conclusion.remedy else { return }
        console.note("  → \(pair.label): \(remedy)")
    }

    /// The sum, and the last record.
    func conclude() -> ExitStatus {
        let tally = state.withLock(\.tally)
        let status = tally.status(interruption: invocation.interruption.cause)
        if invocation.wantsJSON {
            records.print("summary", Self.members(of: tally, status))
        } else if tally.total > 0 {
            console.show("\(counted(tally.total)): \(tally.inWords)")
        }
        if tally.failed > 0 {
            console.complain("\(invocation.program): \(tally.failed) of \(counted(tally.total)) failed")
            let again = state.withLock(\.isOnRecord) ? "--retry-failed takes those again" : "--device takes each again"
            console.complain("  → \(invocation.program) \(invocation.verb) \(again)")
        }
        return status
    }

    /// Where nothing was begun: the last record, and the failure for people beside it.
    func conclude(_ failure: CommandFailure) {
        console.complain("\(invocation.program): \(failure.cause.printable)")
        if let remedy = failure.remedy { console.complain("  → \(remedy.printable)") }
        records.print("summary", Self.members(concluding: failure))
    }

    /// Of the last record where nothing was begun.
    static func members(concluding failure: CommandFailure) -> [(String, JSON)] {
        members(of: BenchTally(), failure.status) + [("error", failure.json)]
    }

    /// The ears come first, and then nothing can be retried by the record.
    func noteNoRecord() {
        state.withLock { $0.isOnRecord = false }
        console.note("the record of this run cannot be written; going on")
    }

    func note(_ line: String) { console.note(line) }

    private static func members(of tally: BenchTally, _ status: ExitStatus) -> [(String, JSON)] {
        [
            ("verdicts", tally.json), ("ears", .integer(Int64(tally.total))), ("failed", .integer(Int64(tally.failed))),
            ("status", .integer(Int64(status.rawValue))),
        ]
    }

    private static func about(_ pair: SeveralEars.Pair) -> [(String, JSON)] {
        [("device", .string(pair.name.description)), ("name", .optional(pair.sightings.first?.name))]
    }

    // MARK: On a terminal

    private func show(_ line: String, of name: String, on adapter: AdapterName) {
        let text = "\(name)  \(line)"
        state.withLock { state in
            if let index = state.lines.firstIndex(where: { $0.adapter == adapter }) {
                state.lines[index].text = text
            } else {
                state.lines.append((adapter, text))
                state.lines.sort { $0.adapter.description < $1.adapter.description }
            }
        }
        redraw()
    }

    private func redraw() {
        guard isTerminal else { return }
        state.withLock { state in
            guard !state.lines.isEmpty else { return }
            let rest = state.tally.total == 0 ? "" : ": \(state.tally.inWords)"
            console.progress(state.lines.map(\.text) + ["\(state.tally.total) of \(state.total) ended\(rest)"])
        }
    }
}

private func counted(_ pairs: Int) -> String { pairs == 1 ? "1 pair of ears" : "\(pairs) pairs of ears" }

public import CommandLineTools
public import EarsCommandLine
import Bluetooth
import DurableFiles
import Ears
import Firmware
import FirmwareUpdate
import FoundationEssentials
import Synchronization

/// One run of `install` on several pairs of ears.
///
/// One pair at a time on each adapter, the adapters side by side (`docs/decisions/0013-one-pair-per-adapter.md`).
public struct BenchErrand: Sendable {
    private let invocation: Invocation
    private let finder: EarsFinder
    private let request: InstallationRequest
    private let bench: BenchSelection
    private let reporter: BenchReporter
    private let now: @Sendable () -> Duration

    /// - Parameter now: any clock's time since any moment, for rates.
    public init(
        invocation: Invocation, finder: EarsFinder, request: InstallationRequest, bench: BenchSelection,
        now: @escaping @Sendable () -> Duration
    ) {
        self.invocation = invocation
        self.finder = finder
        self.request = request
        self.bench = bench
        self.now = now
        reporter = BenchReporter(invocation)
    }

    private var log: BenchLog {
        BenchLog(stateFolder: finder.directories.state, runtimeFolder: finder.directories.runtime)
    }

    /// - Throws: only where no JSON Lines are wanted: their last record holds the failure.
    public func run() async throws(CommandFailure) -> ExitStatus {
        do throws(CommandFailure) {
            return try await course()
        } catch {
            guard invocation.wantsJSON else { throw error }
            reporter.conclude(error)
            return error.status
        }
    }

    private func course() async throws(CommandFailure) -> ExitStatus {
        try finder.directories.prepareRuntime()
        let hold = try recorded { () throws(BenchLogError) in try log.hold() }
        defer { withExtendedLifetime(hold) {} }
        var request = request
        var digest: [UInt8]?
        guard let several = try selection(&request, &digest) else {
            reporter.note("nothing failed in the last run, and nothing is to be done")
            return reporter.conclude()
        }
        let (pairs, adapters) = try await finder.find(several)
        try OpenFiles.check(OpenFiles.needed + OpenFiles.neededPerPair * min(pairs.count, adapters.count))
        let source = try await FirmwareSource.open(request, finder.directories, invocation)
        if let digest, case .file(let image) = source, image.sha256 != digest { throw .fileHasChanged(request.wanted) }
        reporter.announce(pairs, over: adapters, request.wanted.inWords)
        try await invocation.ask(
            "Install it on \(pairs.count == 1 ? "it" : "all of them")?", isAnswered: request.isConfirmed, by: "--yes")
        let record = BenchRecord(
            BenchRun(
                startedAt: Date(), wanted: request.wanted.onRecord(source),
                pairs: pairs.map { BenchRun.Pair(device: $0.name.description, label: $0.label) }),
            in: log)
        try recorded { () throws(BenchLogError) in try record.write() }
        let installation = BenchInstallation(
            finder: finder, request: request, source: source, invocation: invocation,
            settlesFirst: bench.which == .failedOfLastRun, reporter: reporter, now: now)
        await run(pairs, over: adapters, installation, record)
        return reporter.conclude()
    }

    /// - Parameter digest: of the file that was to be installed, in a retry.
    /// - Returns: nil where no pair is to be retried.
    private func selection(
        _ request: inout InstallationRequest, _ digest: inout [UInt8]?
    ) throws(CommandFailure) -> SeveralEars? {
        switch bench.which {
        case .ears(let selection): return SeveralEars(selection, adapters: bench.adapters)
        case .failedOfLastRun:
            guard let last = try recorded({ () throws(BenchLogError) in try log.last() }) else {
                throw .usage("there was no run on several pairs of ears to retry", remedy: "espurr-ota install --all")
            }
            request.wanted = try InstallationRequest.Wanted(last.wanted)
            if case .file(_, let sha256) = last.wanted { digest = sha256 }
            let names = last.failures.map { EarsName($0.device) }
            return names.isEmpty ? nil : SeveralEars(.named(names), adapters: bench.adapters)
        }
    }

    private func recorded<Value>(_ operation: () throws(BenchLogError) -> Value) throws(CommandFailure) -> Value {
        do throws(BenchLogError) { return try operation() } catch { throw CommandFailure(error) }
    }

    // MARK: The lanes

    private func run(
        _ pairs: [SeveralEars.Pair], over adapters: [AdapterName], _ installation: BenchInstallation,
        _ record: BenchRecord
    ) async {
        // Ears without a bond that is known here are looked for over the first adapter.
        let places = pairs.map { $0.sightings.isEmpty ? Array(adapters.prefix(1)) : $0.sightings.map(\.adapter) }
        let schedule = SharedSchedule(BenchSchedule(places))
        await withTaskCancellationHandler {
            await withTaskGroup(of: Void.self) { group in
                for adapter in adapters {
                    group.addTask {
                        while !Task.isCancelled, let number = schedule.next(on: adapter) {
                            let conclusion = await installation.run(pairs[number], on: adapter)
                            keep(conclusion, of: number, in: record)
                            reporter.end(pairs[number], on: adapter, conclusion)
                        }
                    }
                }
            }
        } onCancel: {
            reporter.note(
                "cancelling: what is under way is brought to an end, and nothing more begun (Ctrl-C again leaves at once)"
            )
        }
        for number in schedule.remaining { reporter.skip(pairs[number], .notBegun(invocation.cancellation)) }
    }

    /// The ears come first: a record that cannot be written does not stop what is under way.
    private func keep(_ conclusion: ToldConclusion, of number: Int, in record: BenchRecord) {
        do throws(BenchLogError) {
            try record.end(number, conclusion.verdict, conclusion.status)
        } catch {
            reporter.noteNoRecord()
        }
    }
}

/// What the lanes take from.
private final class SharedSchedule: Sendable {
    private let schedule: Mutex<BenchSchedule>

    init(_ schedule: BenchSchedule) { self.schedule = Mutex(schedule) }

    func next(on adapter: AdapterName) -> Int? { schedule.withLock { $0.next(on: adapter) } }
    var remaining: [Int] { schedule.withLock(\.remaining) }
}

/// The record of the run, brought up to date by every lane.
private final class BenchRecord: Sendable {
    private let run: Mutex<BenchRun>
    private let log: BenchLog

    init(_ run: BenchRun, in log: BenchLog) {
        self.run = Mutex(run)
        self.log = log
    }

    func write() throws(BenchLogError) { try change { _ in } }

    func end(_ number: Int, _ verdict: String, _ status: ExitStatus) throws(BenchLogError) {
        try change { run in
            run.pairs[number].verdict = verdict
            run.pairs[number].status = status.rawValue
        }
    }

    private func change(_ change: (inout BenchRun) -> Void) throws(BenchLogError) {
        let result = run.withLock { run -> Result<Void, BenchLogError> in
            change(&run)
            do throws(BenchLogError) { return .success(try log.write(run)) } catch { return .failure(error) }
        }
        try result.get()
    }
}

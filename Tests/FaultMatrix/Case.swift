import EarsInVirtualTime
import FirmwareUpdate
import Simulator
import Synchronization

/// What came of one case: what each command said, and what is wrong with it.
struct CaseResult: Sendable {
    let injections: [Injection]
    /// Whether every fault found its place.
    var struckAll = false
    /// Of the commands under the faults.
    var outcomes: [Outcome] = []
    var settled: Outcome?
    var last: Outcome?
    var findings: [Finding] = []

    /// Faults on an installation, a second one where the first command did not come as far; then `status --wait` and
    /// one more installation without any, which has to be confirmed.
    init(_ injections: [Injection], kind: EarsKind, folder: String) {
        self.injections = injections
        let bench = Bench(kind: kind, folder: folder)
        defer { bench.end() }
        bench.world.arm(injections)
        repeat {
            let outcome = bench.install(Bench.newImage.image)
            outcomes.append(outcome)
            findings += Judge(bench.world).findings(outcome)
        } while outcomes.count < injections.count && bench.world.state.withLock { !$0.injections.isEmpty }
        struckAll = bench.world.state.withLock { $0.injections.isEmpty }
        bench.world.arm([])
        settle(bench)
        let last = bench.install(Bench.newImage.image)
        self.last = last
        findings += Judge(bench.world).findings(last)
        guard case .verdict(.confirmed, _) = last else {
            findings.append(Finding(text: "the next installation ended with \(last)"))
            return
        }
    }

    private mutating func settle(_ bench: Bench) {
        guard var outcome = bench.settle() else { return }
        // Ears that were just about to restart end the link under the first question: whoever asks, asks again.
        if case .notBegun = outcome, let second = bench.settle() { outcome = second }
        settled = outcome
        findings += Judge(bench.world).findings(outcome)
        if case .verdict(.unknown(let reason), _) = outcome {
            findings.append(Finding(text: "a fresh reading leaves it unknown: \(reason)"))
        }
    }
}

/// A faultless installation, step by step.
struct Trace: Sendable {
    let steps: [(place: Place, step: World.Step)]
    let flashOperations: Int

    init(kind: EarsKind, folder: String) {
        let bench = Bench(kind: kind, folder: folder)
        defer { bench.end() }
        bench.world.arm([])
        let outcome = bench.install(Bench.newImage.image)
        guard case .verdict(.confirmed, _) = outcome else { preconditionFailure("without a fault: \(outcome)") }
        (steps, flashOperations) = bench.world.state.withLock { state in
            (state.trace, World.flashBudget - (state.ears.flashOperationsUntilPowerLoss ?? World.flashBudget))
        }
    }

    /// Every fault at every step.
    var injections: [Injection] {
        let air = steps.flatMap { place, step in faults(at: place, step).map { Injection(place: place, fault: $0) } }
        let flash = (1...max(1, flashOperations)).map { Injection(place: .flash($0), fault: .powerLostBefore) }
        return air + flash
    }

    private func faults(at place: Place, _ step: World.Step) -> [Fault] {
        if case .boot = place { return [.powerLostBefore] }
        switch step {
        case .exchange: return Fault.allCases
        case .single:
            return [.requestLost, .linkDropped, .powerLostBefore, .diesBefore, .diesAfter, .stallsIgnored, .cancelled]
        case .command:
            return [
                .requestLost, .replyDuplicated, .linkDropped, .powerLostBefore, .powerLostAfter, .diesBefore,
                .diesAfter,
                .stallsIgnored, .cancelled,
            ]
        case .notification: return [.replyLost, .replyDuplicated]
        }
    }

    /// Of each stretch, and of flash and boots, every fault at the first, the middle and the last of its steps.
    var representatives: [Injection] {
        let groups = Dictionary(grouping: injections) { Group(place: $0.place, fault: $0.fault) }
        return groups.values.flatMap { group in
            [group[0], group[group.count / 2], group[group.count - 1]].uniqued()
        }.sorted { "\($0)" < "\($1)" }
    }

    private struct Group: Hashable {
        let stretch: String
        let fault: Fault

        init(place: Place, fault: Fault) {
            stretch = place.stretch
            self.fault = fault
        }
    }
}

extension Place {
    /// The row of the table that it belongs to.
    var stretch: String {
        switch self {
        case .exchange(let stretch, _): stretch.rawValue
        case .flash: "flash"
        case .boot: "boot"
        }
    }
}

extension Array where Element: Hashable {
    fileprivate func uniqued() -> [Element] {
        var seen: Set<Element> = []
        return filter { seen.insert($0).inserted }
    }
}

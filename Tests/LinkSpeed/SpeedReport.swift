import FirmwareUpdate
import Foundation
import Glibc

/// The table of `docs/benchmarks.md`.
struct SpeedReport {
    private var cases = 0
    private var tooSlow = 0
    private var leastRatio: [String: Double] = [:]
    private var processorTime = Duration.zero
    private var memoryGrowth = 0

    init() {
        print("| form | board, PHY | interval | MTU | loss | ceiling | reached | ratio | with opening | CPU |")
        print("|---|---|---|---|---|---|---|---|---|---|")
    }

    var isClean: Bool { cases > 0 && tooSlow == 0 }

    mutating func note(_ speedCase: SpeedCase, _ run: SpeedRun) {
        cases += 1
        let ratio = run.rate(over: run.transfer) / speedCase.ceiling
        let isGood = run.fault == nil && ratio >= speedCase.bound
        if !isGood { tooSlow += 1 }
        if speedCase.receiver == .quick {
            leastRatio[speedCase.form.rawValue] = min(leastRatio[speedCase.form.rawValue] ?? .infinity, ratio)
            processorTime = max(processorTime, run.processorTime)
        }
        memoryGrowth = max(memoryGrowth, run.memoryGrowth)
        print(
            "| \(speedCase) | \(kilobits(speedCase.ceiling)) | \(kilobits(run.rate(over: run.transfer))) "
                + "| \(ratio.decimals(3))\(isGood ? "" : " WRONG: \(run.fault ?? "too slow")") "
                + "| \((run.rate(over: run.phase) / speedCase.ceiling).decimals(3)) "
                + "| \(run.processorTime.seconds.decimals(2)) s |"
                + (run.droppedWrites == 0 ? "" : " \(run.droppedWrites) writes dropped"))
        fflush(nil)
    }

    func printSummary() {
        let forms = leastRatio.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value.decimals(3))" }
        print("\(cases) uploads, \(tooSlow) wrong; least ratio: \(forms.joined(separator: ", "))")
        print(
            "processor time of sending, ears and link included: at most \(processorTime.seconds.decimals(2)) s; "
                + "resident memory beyond that at its start: at most \(memoryGrowth >> 10) KiB")
    }

    private func kilobits(_ bytesPerSecond: Double) -> String { (bytesPerSecond * 8 / 1000).decimals(1) }
}

extension Double {
    fileprivate func decimals(_ count: Int) -> String { String(format: "%.\(count)f", self) }
}

extension SpeedRun {
    /// Bytes of the file a second.
    fileprivate func rate(over time: Duration) -> Double { time > .zero ? Double(size) / time.seconds : 0 }
}

extension Duration {
    fileprivate var seconds: Double { self / .seconds(1) }
}

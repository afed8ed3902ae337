import EarsInVirtualTime
import FirmwareUpdate
import Simulator
import Synchronization

/// What is wrong with what a command said, or with how it left the ears.
struct Finding: Hashable, Sendable {
    let text: String
}

/// Holds a command's verdict against the flash and against what the ears do when they are left alone.
struct Judge {
    let flash: Flash
    let truth: FlashTruth
    let runningSlot: Int
    /// The slot that runs once the ears were left alone for a minute and switched off and on; nil: none boots.
    let bootsNext: Int?

    init(_ world: World) {
        let now = world.time.elapsed
        let (ears, running) = world.state.withLock { ($0.ears, $0.runningSlot) }
        flash = ears.flash
        truth = FlashTruth { ears.flash.read($0) }
        var left = ears
        left.flashOperationsUntilPowerLoss = nil
        var slot = running
        _ = left.advance(to: now + .seconds(60))
        left.powerOff(at: now + .seconds(60))
        left.powerOn(at: now + .seconds(61))
        for case .serialLine(let line) in left.advance(to: now + .seconds(65)) where line.hasPrefix("boot: ota_") {
            slot = line.dropFirst(10).first?.wholeNumberValue ?? slot
        }
        runningSlot = running
        bootsNext = left.advertisement == nil ? nil : slot
    }

    func findings(_ outcome: Outcome) -> [Finding] {
        var findings: [Finding] = []
        if bootsNext == nil { findings.append(Finding(text: "no slot boots")) }
        switch outcome {
        case .verdict(let verdict, let target):
            if !holds(verdict, Int(target.slot)) {
                findings.append(
                    Finding(text: "said \(verdict); slot \(runningSlot) runs, \(truth), next boots \(bootsNext as Any)")
                )
            }
        case .hangs: findings.append(Finding(text: "hangs"))
        case .died, .notBegun, .nothing: break
        }
        return findings
    }

    private func holds(_ verdict: Verdict, _ target: Int) -> Bool {
        let newRuns = runningSlot == target && holdsNew(target)
        let oldStays = runningSlot != target && bootsNext == runningSlot
        return switch verdict {
        case .confirmed:
            newRuns && truth.selectedSlot == target && truth.states[target] == .valid && bootsNext == target
        // A refusal is said whatever an earlier command had selected.
        case .refused: runningSlot != target
        case .rolledBack, .cancelled, .linkLostOldFirmwareRuns, .imageUnusable: oldStays
        case .selectedNotRestarted: runningSlot != target && truth.selectedSlot == target && holdsNew(target)
        case .notConfirmed: newRuns && truth.states[target] != .valid
        // It says nothing; that it is not said too often is seen in the table, and that a later reading settles it.
        case .unknown: true
        }
    }

    private func holdsNew(_ slot: Int) -> Bool {
        let start = Bench.slotOffsets[slot]
        let image = Bench.newImage.bytes
        return flash.read(start..<start + image.count) == image
    }
}

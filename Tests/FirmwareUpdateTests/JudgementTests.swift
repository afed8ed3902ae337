import ControlProtocol
import Firmware
import FirmwareUpdate
import Testing

private let oldDigest = [UInt8](repeating: 0xA0, count: 32)
private let newDigest = [UInt8](repeating: 0xB1, count: 32)
private let otherDigest = [UInt8](repeating: 0xC2, count: 32)
private let file = [UInt8](repeating: 0xF0, count: 32)
private let target = UpdateTarget(slot: 1, imageDigest: newDigest, fileSHA256: file, version: "1.5.0")

/// A reading of two slots, by default as before an update: ota_0 runs.
private func reading(
    running: UInt32 = 0, selected: UInt32 = 0, second: [UInt8] = newDigest, state: OTAState = .undefined,
    boots: UInt32 = 3, first: [UInt8] = oldDigest, update: UpdateState = .idle
) -> FirmwareReading {
    FirmwareReading(
        runningSlot: running, selectedSlot: selected,
        slots: [
            .init(index: 0, digest: first, version: "1.4.0", otaState: .valid),
            .init(index: 1, digest: second, version: "1.5.0", otaState: state),
        ],
        bootCount: boots, updateState: update, sessionSHA256: update == .idle ? [] : file)
}

private let before = reading(second: [])
private let selection = reading(selected: 1, state: .new)

private func verdict(
    _ milestone: Milestone, _ latest: FirmwareReading?, _ ending: Ending, before: FirmwareReading = before,
    firstValid: Readings.FirstValid? = nil
) -> Verdict {
    Verdict(
        Readings(
            target: target, before: before, milestone: milestone,
            selection: milestone >= .selected ? selection : nil, firstValid: firstValid, latest: latest,
            ending: ending))
}

private let newRunsValid = reading(running: 1, selected: 1, state: .valid, boots: 4)
private let refusal = EarsRefusal(refusal: .imageInvalid, deviceError: 0x1503)

@Suite struct `Judgement` {
    @Test(
        arguments: [
            // Ended before anything was selected; a fresh read says that the old firmware runs.
            (.begun, reading(), .lost(.link), .linkLostOldFirmwareRuns(.link)),
            (.sent, reading(), .lost(.link), .linkLostOldFirmwareRuns(.link)),
            (.begun, reading(boots: 4), .lost(.sessionLost), .linkLostOldFirmwareRuns(.sessionLost)),
            (.begun, reading(), .deadline(.erasing), .linkLostOldFirmwareRuns(.deadline(.erasing))),
            (.begun, reading(), .looked, .linkLostOldFirmwareRuns(.attemptDied)),
            (.checked, reading(), .looked, .linkLostOldFirmwareRuns(.attemptDied)),
            (.begun, reading(), .cancelled, .cancelled),
            (.sent, reading(), .cancelled, .cancelled),
            (.begun, reading(), .refused(refusal), .refused(refusal)),
            (.begun, reading(), .image(.changedWhileRead), .imageUnusable(.changedWhileRead)),
            (.checked, nil, .image(.changedWhileRead), .imageUnusable(.changedWhileRead)),
            (.begun, nil, .image(.changedWhileRead), .unknown(.noReading)),
            (.sent, reading(), .refused(refusal), .refused(refusal)),
            (.sent, reading(), .contradiction, .unknown(.contradiction)),

            // Nothing was read afterwards: only what the ears said themselves, or what was never sent, is known.
            (.begun, nil, .lost(.link), .unknown(.noReading)),
            (.begun, nil, .cancelled, .unknown(.noReading)),
            (.checked, nil, .cancelled, .cancelled),
            (.sent, nil, .refused(refusal), .refused(refusal)),
            (.restarting, nil, .refused(refusal), .unknown(.noReading)),
            (.restarting, nil, .lost(.link), .unknown(.noReading)),
            (.restarting, nil, .cancelled, .unknown(.notAwaited)),
            (.booted, nil, .cancelled, .unknown(.noReading)),

            // `finish` may have reached the ears.
            (.sent, reading(selected: 1, state: .new), .lost(.link), .selectedNotRestarted),
            (.sent, reading(selected: 1, state: .new), .cancelled, .selectedNotRestarted),
            (.sent, reading(update: .verifying), .lost(.link), .unknown(.stillVerifying)),
            (.sent, reading(update: .accepted), .cancelled, .unknown(.stillVerifying)),
            (.sent, reading(state: .aborted, boots: 5), .looked, .rolledBack),
            (.sent, reading(running: 1, selected: 1, state: .pendingVerify, boots: 4), .looked, .unknown(.onTrial)),

            // Selected.
            (.selected, selection, .cancelled, .selectedNotRestarted),
            (.restarting, selection, .cancelled, .unknown(.restartPending)),
            (.restarting, selection, .looked, .unknown(.restartPending)),
            (.restarting, selection, .refused(refusal), .selectedNotRestarted),
            (.selected, reading(), .looked, .unknown(.selectionGone)),
            (.restarting, reading(state: .aborted, boots: 5), .watched, .rolledBack),
            (.booted, reading(state: .aborted, boots: 5), .watched, .rolledBack),
            (.booted, reading(state: .invalid, boots: 6), .lost(.link), .rolledBack),
            (.restarting, reading(second: [], boots: 4), .watched, .rolledBack),
            (.restarting, reading(selected: 1, state: .undefined, boots: 4), .watched, .rolledBack),

            // The new image runs.
            (.booted, newRunsValid, .watched, .notConfirmed(.restless)),
            (.booted, newRunsValid, .deadline(.watching), .notConfirmed(.restless)),
            (.booted, newRunsValid, .cancelled, .unknown(.onTrial)),
            (.booted, newRunsValid, .looked, .unknown(.onTrial)),
            (
                .booted, reading(running: 1, selected: 1, state: .pendingVerify, boots: 4), .deadline(.watching),
                .notConfirmed(.stillOnTrial)
            ),
            (
                .booted, reading(running: 1, selected: 1, state: .pendingVerify, boots: 4), .cancelled,
                .unknown(.onTrial)
            ),
            (
                .booted, reading(running: 1, selected: 1, state: .undefined, boots: 4), .watched,
                .notConfirmed(.noRollback)
            ),
            (
                .booted, reading(running: 1, selected: 1, state: .invalid, boots: 4), .watched,
                .notConfirmed(.state(OTAStateName(.invalid)))
            ),

            // Something else runs.
            (.booted, reading(running: 1, selected: 1, second: otherDigest), .watched, .unknown(.otherFirmwareRuns)),
            (.begun, reading(first: otherDigest), .lost(.link), .unknown(.otherFirmwareRuns)),
        ] as [(Milestone, FirmwareReading?, Ending, Verdict)])
    func `each row of the table`(milestone: Milestone, latest: FirmwareReading?, ending: Ending, expected: Verdict) {
        #expect(verdict(milestone, latest, ending) == expected)
    }

    @Test func `confirmed takes two VALID reads, five seconds apart, with one boot count`() {
        let inTime = Readings.FirstValid(reading: newRunsValid, age: .seconds(5))
        #expect(verdict(.booted, newRunsValid, .watched, firstValid: inTime) == .confirmed)
        #expect(verdict(.sent, newRunsValid, .looked, firstValid: inTime) == .confirmed)

        let early = Readings.FirstValid(reading: newRunsValid, age: .milliseconds(4999))
        let otherBoot = Readings.FirstValid(
            reading: reading(running: 1, selected: 1, state: .valid, boots: 5), age: .seconds(9))
        let onTrial = Readings.FirstValid(
            reading: reading(running: 1, selected: 1, state: .pendingVerify, boots: 4), age: .seconds(9))
        let oldOne = Readings.FirstValid(reading: reading(boots: 4), age: .seconds(9))
        for first in [early, otherBoot, onTrial, oldOne] {
            #expect(verdict(.booted, newRunsValid, .watched, firstValid: first) == .notConfirmed(.restless))
        }
    }

    @Test(arguments: [
        (Duration.milliseconds(4999), Verdict.unknown(.restartPending)), (.seconds(5), .selectedNotRestarted),
    ])
    func `an unchanged boot count says that the ears were not restarted only after they had the time to`(
        age: Duration, expected: Verdict
    ) {
        let readings = Readings(
            target: target, before: before, milestone: .restarting, selection: selection, latest: selection,
            ending: .watched, restartAge: age)
        #expect(Verdict(readings) == expected)
    }

    /// A full disk keeps the record where it was, and the ears go on.
    @Test(arguments: [Milestone.checked, .begun])
    func `what the ears selected since is not called the old firmware, however far the record came`(
        milestone: Milestone
    ) {
        for ending in [Ending.looked, .lost(.link), .cancelled, .refused(refusal)] {
            #expect(verdict(milestone, selection, ending) == .selectedNotRestarted)
            #expect(verdict(milestone, reading(update: .verifying), ending) == .unknown(.stillVerifying))
            #expect(verdict(milestone, reading(state: .aborted, boots: 5), ending) == .rolledBack)
        }
    }

    @Test func `the same image in both slots is told apart by the slot`() {
        let twin = UpdateTarget(slot: 1, imageDigest: oldDigest, fileSHA256: file, version: "1.4.0")
        let readings = Readings(
            target: twin, before: reading(second: oldDigest), milestone: .begun, latest: reading(second: oldDigest),
            ending: .lost(.link))
        #expect(Verdict(readings) == .linkLostOldFirmwareRuns(.link))
    }

    /// An image that was rolled back once is tried again, and the link drops before the slot is erased.
    @Test func `what an earlier attempt left in the slot is not taken for this one's end`() {
        let left = reading(state: .aborted)
        #expect(verdict(.begun, left, .lost(.link), before: left) == .linkLostOldFirmwareRuns(.link))
        #expect(verdict(.sent, left, .lost(.link), before: left) == .linkLostOldFirmwareRuns(.link))
    }

    /// The same image was selected by an earlier attempt, and the next boot takes it: "the old firmware runs" would be
    /// half of the truth.
    @Test func `what an earlier attempt selected and the ears still select is said to be selected`() {
        let stillSelected = reading(selected: 1, state: .new)
        for ending in [Ending.lost(.link), .cancelled, .looked] {
            #expect(verdict(.begun, stillSelected, ending, before: stillSelected) == .selectedNotRestarted)
        }
        #expect(verdict(.begun, stillSelected, .refused(refusal), before: stillSelected) == .refused(refusal))
    }

    @Test func `whatever is read, nothing is claimed that was not`() {
        var seen: Set<VerdictName> = []
        for readings in Self.everything {
            let verdict = Verdict(readings)
            seen.insert(verdict.name)
            let latest = readings.latest
            let newRuns = latest?.runningSlot == 1 && latest?.slot(1)?.digest == newDigest
            switch verdict {
            case .confirmed:
                #expect(newRuns && latest?.slot(1)?.otaState == .valid && readings.firstValid?.age == .seconds(5))
            case .notConfirmed: #expect(newRuns)
            case .selectedNotRestarted:
                #expect(latest?.selectedSlot == 1 && latest?.runningSlot == 0)
                #expect(readings.milestone < .restarting || readings.ending == .refused(refusal))
            case .rolledBack: #expect(latest?.runningSlot == 0 && latest?.bootCount != 3)
            case .linkLostOldFirmwareRuns:
                #expect(latest?.runningSlot == 0 && readings.milestone < .selected)
                #expect(latest?.selectedSlot == 0 || latest?.slot(1)?.digest != newDigest)
            case .cancelled:
                #expect(readings.ending == .cancelled && readings.milestone < .selected)
                #expect(latest?.runningSlot == 0 || readings.milestone == .checked)
            case .imageUnusable:
                #expect(readings.ending == .image(.changedWhileRead) && readings.milestone < .selected)
                #expect(latest?.runningSlot == 0 || readings.milestone == .checked)
            case .refused: #expect(readings.ending == .refused(refusal) && readings.milestone < .selected)
            case .unknown: break
            }
            if latest == nil { #expect([.unknown, .cancelled, .refused, .imageUnusable].contains(verdict.name)) }
        }
        #expect(seen == Set(VerdictName.allCases))
    }

    /// Every milestone with every ending and every reading of two slots.
    private static var everything: [Readings] {
        let endings: [Ending] = [
            .watched, .cancelled, .refused(refusal), .lost(.link), .deadline(.watching), .looked, .contradiction,
            .image(.changedWhileRead),
        ]
        let states: [OTAState] = [.new, .pendingVerify, .valid, .invalid, .aborted, .undefined, .unknown(9)]
        var latest: [FirmwareReading?] = [nil]
        for (running, selected) in [(0, 0), (0, 1), (1, 0), (1, 1)] as [(UInt32, UInt32)] {
            for state in states {
                for second in [[], newDigest, otherDigest] {
                    for (boots, update) in [(3, .idle), (4, .idle), (3, .verifying)] as [(UInt32, UpdateState)] {
                        latest.append(
                            reading(
                                running: running, selected: selected, second: second, state: state, boots: boots,
                                update: update))
                    }
                }
            }
        }
        var all: [Readings] = []
        for milestone in Milestone.allCases {
            for ending in endings {
                for one in latest {
                    let first = one.map { Readings.FirstValid(reading: $0, age: .seconds(5)) }
                    for firstValid in [nil, first] {
                        all.append(
                            Readings(
                                target: target, before: before, milestone: milestone,
                                selection: milestone >= .selected ? selection : nil, firstValid: firstValid,
                                latest: one, ending: ending))
                    }
                }
            }
        }
        return all
    }
}

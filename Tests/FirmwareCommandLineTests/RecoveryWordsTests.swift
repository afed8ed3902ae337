import Bluetooth
import CommandLineTools
import ControlProtocol
import Ears
import FirmwareCommandLine
import Firmware
import FirmwareUpdate
import Testing

private typealias Status = CommandLineTools.ExitStatus

private func reading(
    _ mode: EarsMode = .recovery, first: OTAState = .valid, firstIsEmpty: Bool = false, running: UInt32 = 0,
    selected: UInt32 = 0
) -> FirmwareReading {
    FirmwareReading(
        runningSlot: running, selectedSlot: selected,
        slots: [
            .init(
                index: 0, digest: firstIsEmpty ? [] : [UInt8](repeating: 0xA0, count: 32), version: "1.4.0",
                otaState: first),
            .init(index: 1, digest: [], version: "", otaState: .undefined),
        ], bootCount: 3, mode: mode)
}

private func report(
    _ reading: FirmwareReading = reading(), storage: StorageState? = StorageState(health: .good),
    hasAccessPoint: Bool = true, isPasswordSet: Bool? = true
) -> RecoveryReport {
    RecoveryReport(
        device: DeviceInformation(
            family: "s3", chip: "ESP32-S3", firmwareVersion: "1.4.0", name: "espurr-\u{1B}0001", hardwareRevision: "A",
            applicationProtocol: 2),
        reading: reading, uploadSlot: 1, storage: storage, hasAccessPoint: hasAccessPoint,
        isPasswordSet: isPasswordSet)
}

@Suite struct `Ears in recovery mode in words` {
    @Test func `what they hold and what can be done, and that nothing runs`() {
        let damaged = StorageState(health: .damaged, lostByRepair: ["settings"])
        let lines = report(storage: damaged).lines
        #expect(
            lines[0].hasSuffix(
                "is in recovery mode: no firmware runs now; ota_0 (1.4.0) is there and boots after a restart"))
        #expect(!lines.contains { $0.contains("\u{1B}") || $0.contains("  runs") })
        #expect(lines.contains("ota_0         1.4.0  VALID  boots next"))
        #expect(lines.contains("ota_1         (empty)  UNDEFINED  takes an upload"))
        #expect(lines.contains("access point  a password is set"))
        let actions = lines.drop { $0 != "what can be done:" }.dropFirst()
        #expect(actions.first == "  espurr-ota recover restart         leave recovery mode: they boot ota_0 (1.4.0)")
        #expect(lines.contains("  espurr-ota recover repair-storage  repair the storage; lost: settings"))
    }

    @Test(arguments: [reading(firstIsEmpty: true), reading(first: .aborted)])
    func `where no slot boots there is no old firmware to fall back on`(reading: FirmwareReading) {
        let report = report(reading)
        #expect(
            report.lines[0].hasSuffix(
                "is in recovery mode: no firmware runs, and there is no old one to fall back on"))
        #expect(JSON.object(report.members).text.contains(#""old_firmware_to_fall_back_on":false"#))
    }

    static let offered: [(RecoveryReport, [RecoveryReport.Action])] = [
        (report(), [.restart, .install, .wifiPassword]),
        (report(hasAccessPoint: false), [.restart, .install]),
        (report(storage: StorageState(health: .damaged)), [.restart, .install, .wifiPassword, .repairStorage]),
        (report(storage: StorageState(health: .repairing)), [.restart, .install, .wifiPassword]),
        (report(storage: nil), [.restart, .install, .wifiPassword]),
        (report(reading(firstIsEmpty: true)), [.install, .wifiPassword]),
        (report(reading(first: .aborted)), [.install, .wifiPassword]),
    ]

    @Test(arguments: offered)
    func `only what can be done is offered`(report: RecoveryReport, actions: [RecoveryReport.Action]) {
        #expect(report.actions == actions)
        let json = JSON.object(report.members).text
        for action in RecoveryReport.Action.allCases {
            #expect(json.contains("\"\(action.rawValue)\"") == actions.contains(action))
        }
    }

    static let passwords: [(Bool?, String)] = [
        (true, "a password is set"), (false, "the maker's password: set another"),
        (nil, "whether a password is set is not reported"),
    ]

    @Test(arguments: passwords)
    func `whether a password is set`(isSet: Bool?, words: String) {
        #expect(report(isPasswordSet: isSet).lines.contains("access point  " + words))
    }

    @Test func `no reading in recovery mode says that a slot runs`() {
        #expect(!reading().lines.contains { $0.contains("runs") })
        #expect(reading(.normal).lines[0].contains("runs"))
        let json = reading().json.text
        #expect(json.hasPrefix(#"{"mode":"recovery","running_slot":null,"#))
        #expect(!json.contains(#""running":true"#))
    }

    @Test(arguments: [EarsMode.normal, .recovery]) func `an image that changed before it was begun was not given up`(
        mode: EarsMode
    ) {
        func sentence(_ milestone: Milestone) -> String {
            VerdictReport(
                .imageUnusable(.changedWhileRead), version: "1.5.0", milestone: milestone, latest: reading(mode),
                interruption: nil
            ).sentence
        }
        #expect(sentence(.checked).contains("; nothing was begun, and the "))
        #expect(sentence(.begun).contains("; the upload was given up, and the "))
    }

    static let verdicts: [Verdict] = [
        .cancelled, .refused(EarsRefusal(refusal: .flashError)), .linkLostOldFirmwareRuns(.link),
        .imageUnusable(.changedWhileRead), .selectedNotRestarted, .rolledBack,
    ]

    @Test(arguments: verdicts)
    func `no verdict says of ears in recovery mode that the old firmware runs, but what there is to boot`(
        verdict: Verdict
    ) {
        func sentence(_ reading: FirmwareReading) -> String {
            VerdictReport(
                verdict, version: "1.5.0", milestone: .begun, latest: reading, interruption: nil
            ).sentence
        }
        #expect(sentence(reading(.normal)).contains("the old firmware runs"))
        let bootable = sentence(reading(selected: verdict == .selectedNotRestarted ? 1 : 0))
        #expect(!bootable.contains("the old firmware runs"))
        #expect(bootable.contains("recovery mode, with ota_0 (1.4.0) to fall back on"))
        #expect(
            sentence(reading(firstIsEmpty: true)).contains("recovery mode, with no old firmware to fall back on"))
    }

    @Test func `what was selected itself is nothing to fall back on`() {
        let sentence = VerdictReport(
            .selectedNotRestarted, version: "1.4.0", milestone: .selected, latest: reading(), interruption: nil
        ).sentence
        #expect(sentence.contains("recovery mode, with no old firmware to fall back on"))
    }

    fileprivate static let exits: [(RecoveryExit, Status, String)] = [
        (.left(reading(.normal)), .done, "left"),
        (.left(reading(.normal, first: .pendingVerify)), .done, "left"),
        (.nothingBootable(reading(firstIsEmpty: true)), .preflightRefused, "nothing_bootable"),
        (.refused(EarsRefusal(refusal: .wrongState)), .earsRefused, "refused"),
        (.notRestarted(reading()), .earsRefused, "not_restarted"),
        (.recoveryAgain(reading()), .earsRefused, "recovery_again"),
        (.unknown(.bluetooth(.linkLost(during: .read))), .outcomeUnknown, "unknown"),
        (.unknown(.bluetooth(.cancelled)), .cancelled, "cancelled"),
    ]

    @Test(arguments: exits)
    fileprivate func `each end of the way out has its status`(exit: RecoveryExit, status: Status, code: String) {
        let report = RecoveryExitReport(exit)
        #expect(report.status == status)
        #expect(report.code == code)
        #expect(status == .done || report.remedy != nil)
    }

    @Test func `firmware on trial is said to be`() {
        #expect(RecoveryExitReport(.left(reading(.normal))).remedy == nil)
        let remedy = RecoveryExitReport(.left(reading(.normal, first: .pendingVerify))).remedy
        #expect(remedy?.contains("espurr-ota status --wait") == true)
    }
}

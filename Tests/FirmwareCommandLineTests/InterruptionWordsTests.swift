import Bluetooth
import Catalogue
import ControlProtocol
import Ears
import FirmwareUpdate
import Testing

@testable import CommandLineTools
@testable import EarsCommandLine
@testable import FirmwareCommandLine

/// What says that something was cancelled, says by which signal: all of it.
@Suite struct `Words for what was cancelled` {
    private static let pending = PendingChange(id: 1, basedOnRevision: 1, items: [], isTemporary: false)
    private static let cancelled = EarsError.bluetooth(.cancelled)

    /// What each path of a command comes to: words and status.
    private static func ends() -> [(String, CommandLineTools.ExitStatus)] {
        let failures = [
            CommandFailure(BluetoothError.cancelled), CommandFailure(BluetoothError.abandoned(.write)),
            CommandFailure(cancelled), CommandFailure(AudioError.cancelled), CommandFailure(CatalogueError.cancelled),
            CommandFailure(InstallationError.ears(cancelled)),
        ].map { ($0.cause, $0.status) }
        let settings = [
            SettingReport(.appliedUnsettled(pending, cancelled, [])),
            SettingReport(.unknown(pending, .lost(cancelled))),
        ].map { ($0.cause, $0.status) }
        let courses: [any CourseReport] = [
            CalibrationReport(.failed(.cancelled)), CalibrationReport(.unknown(changeID: 1, cancelled)),
            RepairReport(.left(nil)), RepairReport(.unknown(pending, cancelled)),
            RecoveryExitReport(.unknown(cancelled)),
        ]
        let verdict = VerdictReport(
            .cancelled, version: "1.5.0", milestone: .begun, latest: nil, interruption: Interruption.current?.cause)
        return failures + settings + courses.map { ($0.cause, $0.status) } + [(verdict.sentence, verdict.status)]
    }

    @Test(arguments: [(Interruption.Cause.terminate, "terminated"), (.hangUp, "hung up"), (.interrupt, "cancelled")])
    func `are those of the signal, on every path`(cause: Interruption.Cause, word: String) {
        let interruption = Interruption()
        interruption.receive(cause)
        let ends = Interruption.$current.withValue(interruption) { Self.ends() }
        #expect(ends.count == 14)
        for (text, status) in ends {
            #expect(text.contains(word), "\(text)")
            #expect(status == cause.status || status == .outcomeUnknown, "\(text)")
        }
    }

    @Test func `without a signal, a calibration that was cancelled on the ears was refused by them`() {
        let report = CalibrationReport(.failed(.cancelled))
        #expect(report.status == .earsRefused)
        #expect(report.cause == "cancelled on the ears; the calibration before it stays")
    }
}

public import CommandLineTools
import Ears
import Firmware
public import FirmwareUpdate

/// A verdict for people and scripts.
public struct VerdictReport: Sendable {
    public let status: ExitStatus
    public private(set) var sentence: String
    public let remedy: String?

    /// - Parameters:
    ///   - milestone: how far the attempt is known to have come.
    ///   - latest: the reading that earned the verdict.
    ///   - interruption: what stopped the command, where something did.
    public init(
        _ verdict: Verdict, version: String, milestone: Milestone, latest: FirmwareReading?,
        interruption: Interruption.Cause?
    ) {
        self.init(
            verdict, version: version.printable, wasBegun: milestone >= .begun,
            recovery: latest?.mode == .recovery ? latest : nil, interruption: interruption)
        switch verdict {
        case .cancelled, .refused, .linkLostOldFirmwareRuns, .imageUnusable:
            sentence += latest?.otherSelection ?? ""
        case .confirmed, .selectedNotRestarted, .rolledBack, .notConfirmed, .unknown: break
        }
    }

    /// - Parameter recovery: the latest reading, where it was made in recovery mode.
    private init(
        _ verdict: Verdict, version: String, wasBegun: Bool, recovery: FirmwareReading?,
        interruption: Interruption.Cause?
    ) {
        let isRecovery = recovery != nil
        let new = verdict == .selectedNotRestarted ? recovery?.selectedSlot : nil
        let old =
            recovery.map { "the ears are in recovery mode, \($0.fallbackInWords(beside: new))" }
            ?? "the old firmware runs"
        switch verdict {
        case .confirmed:
            self.init(.done, "confirmed: \(version) runs, and was VALID on two reads with one boot count")
        case .cancelled:
            let cause = interruption ?? .interrupt
            self.init(cause.status, "\(cause.word): \(old), this attempt selected nothing")
        case .refused(let refusal):
            self.init(.earsRefused, "the ears refused: \(refusal.inWords); \(old)")
        case .linkLostOldFirmwareRuns(let loss):
            self.init(.linkLost, "\(loss.inWords); read since: \(old)", remedy: "install again")
        case .imageUnusable(let error):
            let what =
                wasBegun
                ? "\(error.inWordsWhileSent); the upload was given up"
                : "the image cannot be sent any more: \(error.inWords); nothing was begun"
            self.init(.image, "\(what), and \(old)", remedy: error.remedyWhileSent)
        case .selectedNotRestarted:
            self.init(
                .selectedNotRestarted, "\(version) is selected and the ears were not restarted: \(old)",
                remedy: isRecovery
                    ? "espurr-ota recover restart, then espurr-ota status --wait"
                    : "switch the ears off and on, then espurr-ota status --wait")
        case .rolledBack:
            self.init(
                .rolledBack, "rolled back: \(version) did not pass its trial boot, \(old)",
                remedy: isRecovery
                    ? "tell the firmware's maker, and install another version"
                    : "tell the firmware's maker; the ears work as before")
        case .notConfirmed(let reason):
            self.init(
                .bootedNotConfirmed, "\(version) runs and is not confirmed: \(reason.inWords)", remedy: reason.remedy)
        case .unknown(let reason):
            self.init(
                .outcomeUnknown, "outcome unknown: \(reason.inWords)", remedy: "espurr-ota status --wait settles it")
        }
    }

    private init(_ status: ExitStatus, _ sentence: String, remedy: String? = nil) {
        self.status = status
        self.sentence = sentence
        self.remedy = remedy
    }
}

extension Verdict.Loss {
    var inWords: String {
        switch self {
        case .link: "the link was lost"
        case .exchange: "the ears' answers could not be used"
        case .deadline(let phase): "the ears did not answer in time (\(phase.inWords))"
        case .attemptDied: "the command that made the attempt did not see its end"
        case .sessionLost: "the ears gave the upload up"
        }
    }
}

extension ImageFileError {
    /// Of a file that had been judged as sound.
    fileprivate var inWordsWhileSent: String {
        switch self {
        case .changedWhileRead: "the image's file changed while it was sent"
        case .missing, .folder, .notRegularFile, .tooLarge, .unreadable:
            "the image could not be read to its end: \(inWords)"
        }
    }

    fileprivate var remedyWhileSent: String {
        switch self {
        case .changedWhileRead, .tooLarge: "install again, and leave the file alone meanwhile"
        case .missing, .folder, .notRegularFile, .unreadable: "install again from a file that can be read"
        }
    }
}

extension Verdict.NotConfirmed {
    var inWords: String {
        switch self {
        case .noRollback: EarsReport.withoutRollback
        case .stillOnTrial: "still on trial"
        case .restless: "the ears restarted again and again"
        case .state(let state): "its slot's state is \(state.rawValue)"
        }
    }

    var remedy: String? {
        switch self {
        case .stillOnTrial, .restless: "espurr-ota status --wait looks again"
        case .noRollback, .state: nil
        }
    }
}

extension Verdict.Unknown {
    var inWords: String {
        switch self {
        case .noReading: "the ears could not be read afterwards"
        case .notAwaited: "it was selected, and the restart into it was not waited for"
        case .onTrial: "the new firmware runs, and was not watched to the end of its trial"
        case .otherFirmwareRuns: "neither the old firmware nor the new one runs"
        case .stillVerifying: "the ears are still checking the file, and may select it by themselves"
        case .selectionGone: "it was selected, and is not any more"
        case .restartPending: "it is selected, and the ears may be about to restart"
        case .contradiction: "what the ears say contradicts itself"
        }
    }
}

extension UploadForm {
    var inWords: String {
        switch self {
        case .exchange: "sending chunk by chunk"
        case .stream: "sending as a stream"
        }
    }
}

extension InstallationPhase {
    public var inWords: String {
        switch self {
        case .erasing: "erasing the slot"
        case .sending: "sending"
        case .verifying: "the ears verify"
        case .restarting: "restarting"
        case .reconnecting: "reconnecting"
        case .watching: "watching the trial boot"
        }
    }

    /// As it begins: of what shows no progress and may take minutes, with the time that it takes at most.
    public var beginningInWords: String { longest.map { "\(inWords), at most \($0) s" } ?? inWords }

    /// Seconds, of a phase in which nothing but time goes by; nil of the others.
    var longest: Int64? { self == .watching ? PhaseDeadlines().watching.components.seconds : nil }
}

extension FirmwareReading {
    /// What an attempt that selected nothing itself left standing.
    fileprivate var otherSelection: String? {
        guard selectedSlot != runningSlot, let selected = slot(selectedSlot) else { return nil }
        return "; the next boot takes ota_\(selectedSlot) (\(selected.version.printable)), which was selected before"
    }

    /// In recovery none does.
    private func runs(_ slot: SlotReading) -> Bool { mode == .normal && slot.index == runningSlot }

    public var json: JSON {
        let slots = slots.map { slot in
            JSON.object([
                ("slot", .integer(Int64(slot.index))), ("version", .string(slot.version)),
                ("image_sha256", .string(hexadecimal(slot.digest))),
                ("state", .string(OTAStateName(slot.otaState).rawValue)),
                ("running", .boolean(runs(slot))), ("selected", .boolean(slot.index == selectedSlot)),
            ])
        }
        return .object([
            ("mode", .string(mode.rawValue)),
            ("running_slot", mode == .recovery ? .null : .integer(Int64(runningSlot))),
            ("selected_slot", .integer(Int64(selectedSlot))),
            ("boot_count", .integer(Int64(bootCount))), ("slots", .array(slots)),
        ])
    }

    /// One line a slot.
    public var lines: [String] {
        slots.map { slot in
            let marks = [
                runs(slot) ? "runs" : nil, slot.index == selectedSlot ? "selected" : nil,
            ].compactMap { $0 }
            let version = slot.digest.isEmpty ? "(empty)" : slot.version.printable
            let state = OTAStateName(slot.otaState).rawValue.uppercased()
            return (["ota_\(slot.index)", version, state] + marks).joined(separator: "  ")
        }
    }
}

public func hexadecimal(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
}

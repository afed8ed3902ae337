import Catalogue
public import CommandLineTools
import ControlProtocol
import Ears
import EarsCommandLine
public import FirmwareUpdate
import Glibc

extension CommandFailure {
    /// What the policy refuses (22); the remedy names the one flag that would allow it, or says that none does.
    ///
    /// - Parameter usage: of the verb that runs, where that is not `install`: a flag that it lacks is named as `install`'s.
    public init(_ refusal: OfferRefusal, answering usage: Usage? = nil) {
        let flag: String? =
            switch refusal.liftedBy {
            case .older: "--allow-older"
            case .reinstall: "--allow-reinstall"
            case .candidates: "--candidates"
            case nil: nil
            }
        let verb = usage.map { usage in usage.options.contains { $0.name == flag } ? "" : "espurr-ota install " } ?? ""
        self.init(
            .policyRefused, code: refusal.code, cause: refusal.inWords,
            remedy: flag.map { "\(verb)\($0) would allow it" }
                ?? "no flag changes that; espurr-ota list --channel all shows what there is, of every family")
    }

    /// What preflight refuses (23). No flag changes any of it.
    public init(_ refusals: [PreflightRefusal]) {
        self.init(
            .preflightRefused, code: refusals.first?.code ?? "preflight",
            cause: refusals.map(\.inWords).joined(separator: "; "), remedy: refusals.first?.remedy)
    }

    public init(_ error: InstallationError) {
        switch error {
        case .preflight(let refusals): self.init(refusals)
        case .ears(let error): self.init(error)
        case .record(let error): self.init(error)
        }
    }

    public init(_ error: AttemptLogError) {
        switch error {
        case .notWritten(let path, let number), .notRead(let path, let number):
            self.init(
                .outputNotWritable, code: "attempt_not_recorded",
                cause: "the attempt cannot be put on record (\(path.printable): \(String(cString: strerror(number)))): "
                    + "nothing was begun",
                remedy: systemRemedy(number))
        }
    }
}

extension OfferRefusal {
    public var code: String {
        switch self {
        case .older: "older"
        case .same: "same"
        case .candidate: "candidate"
        case .unordered: "unordered"
        case .onlyCandidates: "only_candidates"
        case .noSuchVersion: "no_such_version"
        case .noReleases: "no_releases"
        }
    }

    public var inWords: String {
        switch self {
        case .older(let version, let running): "\(version.printable) is older than \(running), which runs"
        case .same(let version): "\(version) runs already"
        case .candidate(let version): "\(version) is a release candidate"
        case .unordered(let offered, ""): "“\(offered.printable)” is no semantic version"
        case .unordered(let offered, let running):
            "which of “\(offered.printable)” and “\(running.printable)” is newer cannot be told"
        case .onlyCandidates(let newest): "there are only release candidates, the newest is \(newest)"
        case .noSuchVersion(let version, let family): "the catalogue has no \(version) for family \(family.printable)"
        case .noReleases(let family, let others):
            "the catalogue has nothing for family \(family.printable)"
                + (others.isEmpty ? "" : "; it has \(others.map(\.printable).joined(separator: ", "))")
        }
    }
}

extension OfferReason {
    public var code: String {
        switch self {
        case .newer: "newer"
        case .newest: "newest"
        case .older: "older"
        case .reinstall: "reinstall"
        case .unordered: "unordered"
        }
    }

    public var inWords: String {
        switch self {
        case .newer(let running): "newer than \(running), which runs"
        case .newest: "the newest"
        case .older(let running): "older than \(running), as allowed"
        case .reinstall: "what runs already, as allowed"
        case .unordered(let running): "in place of “\(running.printable)”, as allowed"
        }
    }
}

extension EarsReport {
    /// `runs     1.4.0 (s3, ota_0, VALID)`
    public var line: String {
        let reading = FirmwareReading(reading)
        guard let runningVersion else {
            return "recovery mode (\(device.family.printable)): \(reading.recoveryInWords)"
        }
        let state = reading.running.map { OTAStateName($0.otaState).rawValue.uppercased() } ?? "?"
        return "runs     \(runningVersion.printable) (\(device.family.printable), ota_\(reading.runningSlot), \(state))"
    }

    static let withoutRollback =
        "these ears' firmware was built without rollback and never reports a trial: that is all that can be known"

    /// Why what runs does not count as confirmed; nil where it does, and in recovery mode, where nothing runs.
    public var unconfirmedInWords: String? {
        guard runningVersion != nil, let state = FirmwareReading(reading).running?.otaState, state != .valid
        else { return nil }
        if hasNoTrials { return Self.withoutRollback }
        return "its slot's state is \(OTAStateName(state).rawValue.uppercased())"
    }

    /// Ears that will never say VALID of what runs.
    var hasNoTrials: Bool {
        !reading.status.hasRollback && FirmwareReading(reading).running?.otaState == .undefined
    }

    /// `which runs 1.4.0`
    var runningInWords: String {
        runningVersion.map { "which runs \($0.printable)" }
            ?? "which is in recovery mode, \(FirmwareReading(reading).fallbackInWords(beside: reading.inactive?.index))"
    }
}

extension PreflightRefusal {
    public var code: String {
        switch self {
        case .contradiction: "catalogue_contradiction"
        case .family: "family"
        case .unknownFamily: "unknown_family"
        case .chip: "chip"
        case .version: "version"
        case .otherFile: "other_file"
        case .applicationProtocol: "application_protocol"
        case .versionTooLong: "version_too_long"
        case .noInactiveSlot: "no_inactive_slot"
        case .tooLarge: "too_large"
        case .trialPending: "trial_pending"
        case .batteryLow: "battery_low"
        }
    }

    public var inWords: String {
        switch self {
        case .contradiction(let target):
            "the catalogue contradicts itself: the \(target.field) of \(target.path.string.printable) is "
                + "“\(target.pathValue.printable)” by its path, “\(target.customValue.printable)” by its description"
        case .family(let witnesses): "the family does not agree: \(witnesses.inWords)"
        case .unknownFamily(let name): "the ears name a family that is not known here: \(name.printable)"
        case .chip(let expected, let release, let image, let ears):
            "the chip does not agree: the family has \(expected), the ears \(ears.printable)"
                + (release.map { ", the release \($0.printable)" } ?? "")
                + (image.map { ", the image \($0.printable)" } ?? "")
        case .version(let release, let image):
            "the release says version \(release.printable), the image \(image.printable)"
        case .otherFile: "the image is not the file that the release describes"
        case .applicationProtocol(let number): "the release speaks application protocol \(number), not 2"
        case .versionTooLong(let bytes): "its version has \(bytes) bytes; at most \(Preflight.maximumVersionBytes)"
        case .noInactiveSlot: "the ears report no slot to put it in"
        case .tooLarge(let size, let capacity, _):
            "\(kibibytes(size)) do not fit the ears' inactive slot of \(kibibytes(capacity))"
        case .trialPending: "what runs is still on trial"
        case .batteryLow(let percent, let needed): "the battery has \(percent) %, and \(needed) % are needed"
        }
    }

    public var remedy: String? {
        switch self {
        case .tooLarge(_, _, .some): "these ears have a smaller partition layout, which only USB changes: update by USB"
        case .tooLarge: "it is for ears with larger slots"
        case .trialPending: "espurr-ota status --wait waits for the trial's end"
        case .batteryLow: "charge the ears"
        case .applicationProtocol, .noInactiveSlot: "update by USB"
        case .unknownFamily: "update these tools"
        default: "no flag changes that"
        }
    }
}

extension FamilyWitnesses {
    var inWords: String {
        [
            path.map { "path \($0)" }, custom.map { "release \($0)" }, projectName.map { "image \($0)" },
            "ears \(ears)",
        ].compactMap { $0?.printable }.joined(separator: ", ")
    }
}

extension EarsRefusal {
    public var code: String {
        switch refusal {
        case .malformed: "malformed"
        case .sessionOpen: "session_open"
        case .wrongSession: "wrong_session"
        case .wrongState: "wrong_state"
        case .wrongOffset: "wrong_offset"
        case .tooLarge: "too_large"
        case .wrongFamily: "wrong_family"
        case .trialPending: "trial_pending"
        case .batteryLow: "battery_low"
        case .hashMismatch: "hash_mismatch"
        case .imageInvalid: "image_invalid"
        case .flashError: "flash_error"
        case .busy: "busy"
        case .incomplete: "incomplete"
        case .unknown(let number): "unknown_\(number)"
        }
    }

    var inWords: String {
        let device = deviceError == 0 ? "" : ", their own error \(hex(deviceError))"
        return code.replacing("_", with: " ") + device
    }
}

/// `692 KiB`
func kibibytes(_ bytes: Int) -> String { "\((bytes + 1023) / 1024) KiB" }

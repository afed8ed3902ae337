public import CommandLineTools
import ControlProtocol
public import Ears

/// How a change ended, for people and scripts.
public struct SettingReport: Sendable {
    public let status: ExitStatus
    /// `saved`, `applied_temporary` …
    public let code: String
    public let cause: String
    public let remedy: String?
    public let readings: [SettingReading]
    /// The first setting that was refused, where the ears say which.
    public private(set) var refusedSetting: String?
    /// Of ears that could not save; nil where it was not read.
    private var storage: StorageHealth?
    /// What was asked for, where nothing of it is in force.
    private var wanted: [PendingChange.Item] = []

    /// - Parameters:
    ///   - what: what a refusal is of, where the ears name no setting.
    ///   - notSaved: what is to be done about one that could not be saved.
    ///   - isOneOfSeveral: other changes came before it, of which a refusal says nothing.
    public init(
        _ outcome: SettingOutcome, of what: String = "it", notSaved: String = "set it again",
        isOneOfSeveral: Bool = false
    ) {
        switch outcome {
        case .saved(let readings): self.init(.done, "saved", "saved", nil, readings)
        case .appliedTemporary(let readings):
            self.init(.done, "applied_temporary", "applied until the next restart", nil, readings)
        case .appliedNotSaved(let reason, let readings):
            self.init(
                .appliedNotSaved, "applied_not_saved", reason.inWords, reason.storageRemedy ?? notSaved, readings)
            if case .saveFailed(let health) = reason { storage = health }
        case .appliedUnsettled(let change, let error, let readings): self.init(error, since: change, readings)
        case .refused(let refusal, let change): self.init(refusal, change, what, isOneOfSeveral)
        case .differs(let readings):
            self.init(.earsRefused, "differs", "the ears say it is done and read back something else", nil, readings)
        case .notApplied:
            self.init(
                .linkLost, "not_applied", "the link was lost before the change reached the ears", "set it again", [])
        case .unknown(let change, let reason): self.init(reason, change)
        }
    }

    private init(_ refusal: SettingRefusal?, _ change: PendingChange, _ other: String, _ isOneOfSeveral: Bool) {
        let item = refusal.flatMap(change.item)
        let what = item.map { $0.isSecret ? "“\($0.setting.printable)”" : "“\($0.inWords)”" } ?? other
        let (cause, ownRemedy) = (refusal?.reason ?? .none).inWords(of: what)
        // Of what is no setting, a palette's command for one, nothing says what it can be.
        let range = refusal?.reason == .outOfRange && item != nil ? "espurr-ctl get shows what it can be" : nil
        let remedy = ownRemedy ?? range
        self.init(.earsRefused, "refused", cause + (isOneOfSeveral ? "" : "; nothing was changed"), remedy, [])
        refusedSetting = item?.setting
        wanted = change.items
    }

    /// A change that was in force when it was last looked at.
    private init(_ error: EarsError, since change: PendingChange, _ readings: [SettingReading]) {
        let failure = CommandFailure(error)
        let words =
            change.isTemporary
            ? "the ears say that it is applied, and it was not read back" : "applied; whether it is saved is not known"
        // What was asked of it is known, and the end of the command is the signal's.
        self.init(
            failure.status.isInterruption ? failure.status : .outcomeUnknown, "applied", "\(words): \(failure.cause)",
            change.look, readings)
    }

    private init(_ reason: SettingOutcome.Unknown, _ change: PendingChange) {
        let look = change.look
        switch reason {
        case .lost(let error):
            let failure = CommandFailure(error)
            self.init(
                .outcomeUnknown, "unknown", "whether it was applied is not known: \(failure.cause)", look, [])
        case .stillPending:
            self.init(.outcomeUnknown, "unknown", "the ears did not apply it in time", look, [])
        case .superseded(let readings):
            self.init(
                .outcomeUnknown, "unknown", "another change came after; this is what reads now", look, readings)
        }
    }

    private init(
        _ status: ExitStatus, _ code: String, _ cause: String, _ remedy: String?, _ readings: [SettingReading]
    ) {
        self.status = status
        self.code = code
        self.cause = cause
        self.remedy = remedy
        self.readings = readings
    }

    /// Each setting as it reads now, in columns.
    public var lines: [String] {
        let rows = readings.map { reading in
            let unit = reading.unit.isEmpty ? "" : " " + reading.unit.printable
            let value = reading.read.map { $0.description.printable + unit } ?? "(write only)"
            let note = reading.isInForce ? "" : "  (asked for: \(reading.wanted.description.printable))"
            return [reading.setting.printable, value + note]
        }
        return rows.aligned()
    }

    public var members: [(String, JSON)] {
        let settings = readings.map { reading in
            JSON.object([
                ("name", .string(reading.setting)), ("wanted", reading.wanted.json),
                ("value", reading.read?.json ?? .null), ("unit", .string(reading.unit)),
                ("in_force", .boolean(reading.isInForce)),
            ])
        }
        let refused = wanted.map { item in
            JSON.object([
                ("name", .string(item.setting)), ("wanted", item.isSecret ? .null : item.wanted.json),
                ("in_force", .boolean(false)),
            ])
        }
        return [
            ("outcome", .string(code)), ("cause", .string(cause)), ("remedy", .optional(remedy)),
            ("refused", .optional(refusedSetting)), ("settings", .array(settings + refused)),
        ] + (storage.map { [("storage", .string($0.code))] } ?? [])
    }
}

extension SettingOutcome.NotSaved {
    var inWords: String {
        switch self {
        case .saveFailed(let health):
            let because = health?.whyNotSaved.map { ", for the storage \($0)" } ?? ""
            return "applied, but the ears could not save it\(because): it is lost with the next restart"
        case .deadline: return "applied, but not saved in time: read it again before relying on it"
        }
    }

    /// Nil where it is not the storage that is to be mended.
    fileprivate var storageRemedy: String? {
        guard case .saveFailed(let health?) = self, health.whyNotSaved != nil else { return nil }
        return health == .repairing
            ? "wait for the end of the repair (espurr-ota recover shows it), then set it again"
            : "espurr-ota recover repair-storage, in recovery mode; then set it again"
    }
}

extension PendingChange {
    /// What tells how it ended. What cannot be read back is looked at in vain.
    fileprivate var look: String {
        let isSecret = !items.isEmpty && items.allSatisfy(\.isSecret)
        return isSecret ? "set it again" : "espurr-ctl get shows what is in force"
    }
}

extension PendingChange.Item {
    /// As it was asked for: `brightness 500`.
    fileprivate var inWords: String { "\(setting) \(wanted.description)".printable }
}

extension SettingRefusalReason {
    /// - Parameter what: what was refused.
    fileprivate func inWords(of what: String) -> (cause: String, remedy: String?) {
        switch self {
        case .staleRevision: ("somebody else changed the ears in the meantime", "set it again")
        case .outOfRange: ("the ears refused \(what) as out of range", nil)
        case .readOnly: ("the ears refused \(what): it is read only", nil)
        case .capabilityMissing: ("the ears refused \(what): they lack what it needs", nil)
        case .wrongMode: ("the ears refused \(what): they are not in the mode for it", nil)
        case .busy: ("the ears were busy", "set it again")
        case .nameEmpty: ("the ears refused \(what): a name is needed", nil)
        case .nameTooLong: ("the ears refused \(what): the name is too long", "choose a shorter one")
        case .nameTaken: ("the ears refused \(what): the name is taken", "choose another one")
        case .nameNotAllowed: ("the ears refused \(what): the name is not allowed", "choose another one")
        case .noSpace:
            ("the ears refused \(what): they have no space left", "delete a saved palette: espurr-ctl palette")
        case .notFound: ("the ears refused \(what): they do not have it", nil)
        case .sensorFailed: ("the ears refused \(what): a motion sensor does not answer", nil)
        case .none: ("the ears refused \(what) without a reason", nil)
        case .unknown(let number):
            ("the ears refused \(what) for reason \(number), which this version does not know", nil)
        }
    }
}

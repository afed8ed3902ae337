public import CommandLineTools
import ControlProtocol
public import Ears

extension SettingValue {
    public var json: JSON {
        switch self {
        case .boolean(let value): .boolean(value)
        case .integer(let value): .integer(value)
        case .text(let value), .choice(let value): .string(value)
        case .bytes: .string(description)
        }
    }
}

extension Setting {
    public var unit: String { descriptor?.unit ?? "" }

    /// The value as people read it: `40 %`.
    public var valueInWords: String {
        guard let value else { return missingCapability == nil ? "(write only)" : "(not available)" }
        return value.description.printable + (unit.isEmpty ? "" : " " + unit.printable)
    }

    public var json: JSON {
        var members: [(String, JSON)] = [
            ("name", .string(name)), ("value", value?.json ?? .null), ("unit", .string(unit)),
            ("title", .optional(descriptor?.title)), ("read_only", .boolean(isReadOnly)),
            ("temporary", .boolean(isTemporary)),
        ]
        if let missingCapability { members.append(("missing_capability", .string(missingCapability))) }
        switch descriptor?.kind {
        case .boolean: members.append(("kind", .string("boolean")))
        case .integer(let minimum, let maximum, let step):
            members += [
                ("kind", .string("integer")), ("minimum", .integer(Int64(minimum))),
                ("maximum", .integer(Int64(maximum))), ("step", .integer(Int64(max(step, 1)))),
            ]
        case .enumeration(let choices):
            members += [("kind", .string("enumeration")), ("choices", .array(choices.map(JSON.string)))]
        case .text(let minimum, let maximum):
            members += [
                ("kind", .string("text")), ("minimum_bytes", .integer(Int64(minimum))),
                ("maximum_bytes", .integer(Int64(maximum))),
            ]
        case .structured(let message):
            members += [("kind", .string("structured")), ("message", .string(message))]
        case .unknown, nil: members.append(("kind", .null))
        }
        return .object(members)
    }
}

/// How a change ended, for people and scripts.
public struct SettingReport: Sendable {
    public let status: ExitStatus
    /// `saved`, `applied_temporary` …
    public let code: String
    public let cause: String
    public let remedy: String?
    public let readings: [SettingReading]

    public init(_ outcome: SettingOutcome) {
        switch outcome {
        case .saved(let readings): self.init(.done, "saved", "saved", nil, readings)
        case .appliedTemporary(let readings):
            self.init(.done, "applied_temporary", "applied until the next restart", nil, readings)
        case .appliedNotSaved(let reason, let readings):
            let cause =
                switch reason {
                case .saveFailed: "applied, but the ears could not save it: it is lost with the next restart"
                case .deadline: "applied, but not saved in time: read it again before relying on it"
                }
            self.init(.appliedNotSaved, "applied_not_saved", cause, "set it again", readings)
        case .refused(let refusal): self.init(refusal)
        case .differs(let readings):
            self.init(.earsRefused, "differs", "the ears say it is done and read back something else", nil, readings)
        case .notApplied:
            self.init(
                .linkLost, "not_applied", "the link was lost before the change reached the ears", "set it again", [])
        case .unknown(_, let reason): self.init(reason)
        }
    }

    private init(_ refusal: SettingRefusal?) {
        let (cause, remedy): (String, String?) =
            switch refusal?.reason {
            case .staleRevision: ("somebody else changed the ears in the meantime; nothing was changed", "set it again")
            case .outOfRange: ("the ears refused a value as out of range; nothing was changed", nil)
            case .readOnly: ("the ears refused to change what is read only; nothing was changed", nil)
            case .capabilityMissing: ("the ears lack what it needs; nothing was changed", nil)
            case .wrongMode: ("the ears are not in the mode for it; nothing was changed", nil)
            case .busy: ("the ears were busy; nothing was changed", "set it again")
            case .some(.none), nil, .unknown: ("the ears refused it without a reason; nothing was changed", nil)
            }
        self.init(.earsRefused, "refused", cause, remedy, [])
    }

    private init(_ reason: SettingOutcome.Unknown) {
        switch reason {
        case .lost(let error):
            let failure = CommandFailure(error)
            self.init(
                .outcomeUnknown, "unknown", "whether it was applied is not known: \(failure.cause)", Self.look, [])
        case .stillPending:
            self.init(.outcomeUnknown, "unknown", "the ears did not apply it in time", Self.look, [])
        case .superseded(let readings):
            self.init(
                .outcomeUnknown, "unknown", "another change came after; this is what reads now", Self.look, readings)
        }
    }

    private static let look = "espurr-ctl get shows what is in force"

    private init(
        _ status: ExitStatus, _ code: String, _ cause: String, _ remedy: String?, _ readings: [SettingReading]
    ) {
        self.status = status
        self.code = code
        self.cause = cause
        self.remedy = remedy
        self.readings = readings
    }

    public var members: [(String, JSON)] {
        let settings = readings.map { reading in
            JSON.object([
                ("name", .string(reading.setting)), ("wanted", reading.wanted.json),
                ("value", reading.read?.json ?? .null), ("in_force", .boolean(reading.isInForce)),
            ])
        }
        return [
            ("outcome", .string(code)), ("cause", .string(cause)), ("remedy", .optional(remedy)),
            ("settings", .array(settings)),
        ]
    }
}

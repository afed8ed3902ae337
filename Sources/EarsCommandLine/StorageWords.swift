public import CommandLineTools
public import ControlProtocol
public import Ears

extension StorageHealth {
    public var code: String {
        switch self {
        case .notReported: "not_reported"
        case .good: "good"
        case .damaged: "damaged"
        case .repairing: "repairing"
        case .repairFailed: "repair_failed"
        case .unknown(let number): "unknown_\(number)"
        }
    }

    public var inWords: String {
        switch self {
        case .notReported: "not reported"
        case .good: "good"
        case .damaged: "damaged: nothing can be read from it or saved"
        case .repairing: "being repaired"
        case .repairFailed: "damaged: a repair of it failed"
        case .unknown(let number): "in state \(number), which this version does not know"
        }
    }
}

extension StorageHealth {
    /// What it is that keeps the ears from saving; nil where this says nothing of it.
    public var whyNotSaved: String? {
        switch self {
        case .damaged: "is damaged"
        case .repairFailed: "is damaged, and a repair of it failed"
        case .repairing: "is being repaired"
        case .good, .notReported, .unknown: nil
        }
    }
}

extension StorageState {
    public var members: [(String, JSON)] {
        [("health", .string(health.code)), ("lost_by_repair", .array(lostByRepair.map { .string($0) }))]
    }

    /// `settings, saved palettes`; what is lost is the ears' to say.
    public var lostInWords: String {
        lostByRepair.isEmpty ? "what the ears keep there, which they do not name" : lostByRepair.listed
    }
}

extension [String] {
    /// Printable, and with commas.
    fileprivate var listed: String { map(\.printable).joined(separator: ", ") }
}

/// How a repair of the storage ended, for people and scripts.
public struct RepairReport: Sendable {
    public let status: ExitStatus
    public let code: String
    public let cause: String
    public let remedy: String?

    /// Storage that is good is left alone: a repair would only lose what it holds.
    public static let nothingToRepair = RepairReport(
        .done, "nothing_to_repair", "the storage is good: there is nothing to repair", nil)

    private static let look = "espurr-ota recover shows the storage"

    public init(_ outcome: RepairOutcome) {
        switch outcome {
        case .repaired(let state):
            self.init(.done, "repaired", "the storage is repaired and good; lost: \(state.lostInWords)", nil)
        case .failed(let state):
            self.init(
                .earsRefused, "repair_failed", "not repaired: the storage is \(state.health.inWords)",
                "try it again; espurr-ota install works without it")
        case .notBegun(let outcome):
            let report = SettingReport(outcome, of: "the repair")
            self.init(report.status, report.code, report.cause, report.remedy.map { _ in "try it again" })
        case .goodOtherwise:
            self.init(
                .outcomeUnknown, "good_otherwise",
                "the storage is good, and the ears do not say that it was this repair that made it so", Self.look)
        case .unknown(_, let error):
            self.init(
                .outcomeUnknown, "unknown", "how it ended is not known: \(CommandFailure(error).cause)", Self.look)
        case .left(let state):
            let now = state.map { "; the storage is \($0.health.inWords) now" } ?? ""
            let end = CommandFailure.interrupted
            self.init(
                end.status, "cancelled", "\(end.cause): a repair that was begun goes on by itself\(now)", Self.look)
        case .overdue:
            self.init(.outcomeUnknown, "unknown", "the ears did not end the repair in time", Self.look)
        }
    }

    private init(_ status: ExitStatus, _ code: String, _ cause: String, _ remedy: String?) {
        self.status = status
        self.code = code
        self.cause = cause
        self.remedy = remedy
    }
}

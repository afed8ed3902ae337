public import CommandLineTools
public import FirmwareUpdate
import FoundationEssentials

extension Attempt {
    fileprivate var cells: [String] {
        let time = startedAt.ISO8601Format()
        let ending = verdict?.inWords ?? "unsettled"
        return [time, device, family, "\(fromVersion) → \(target.version)", ending].map(\.printable)
    }

    /// Of an image that is about to be sent again.
    var rolledBackLine: String {
        "this image (\(target.version.printable)) rolled back on these ears the last time (\(startedAt.ISO8601Format()))"
    }

    public var members: [(String, JSON)] {
        [
            ("id", .string(id)), ("started", .string(startedAt.ISO8601Format())),
            ("updated", .string(updatedAt.ISO8601Format())), ("device", .string(device)), ("adapter", .string(adapter)),
            ("family", .string(family)), ("source", .string(source.rawValue)), ("from_version", .string(fromVersion)),
            ("version", .string(target.version)), ("size", .integer(Int64(size))),
            ("milestone", .string(milestone.rawValue)), ("verdict", .optional(verdict?.rawValue)),
            ("reading", latest?.json ?? .null),
        ]
    }

    public func json(_ report: VerdictReport) -> JSON {
        .object(
            members + [("status", .integer(Int64(report.status.rawValue))), ("sentence", .string(report.sentence))])
    }
}

extension [Attempt] {
    /// Each a line, in columns: when, on which ears, of which family, from what to what, how it ended.
    public var lines: [String] { map(\.cells).aligned() }
}

extension VerdictName {
    /// As the sentences of verdicts begin, and the exit statuses are called.
    var inWords: String {
        switch self {
        case .confirmed: "confirmed"
        case .cancelled: "cancelled"
        case .refused: "the ears refused"
        case .linkLostOldFirmwareRuns: "link lost, the old firmware runs"
        case .imageUnusable: "image unusable"
        case .selectedNotRestarted: "selected, not restarted"
        case .rolledBack: "rolled back"
        case .notConfirmed: "booted, not confirmed"
        case .unknown: "outcome unknown"
        }
    }

    /// Behind a count of several.
    var inSum: String { self == .refused ? "refused by the ears" : inWords }
}

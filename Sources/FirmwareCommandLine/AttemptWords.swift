public import CommandLineTools
public import FirmwareUpdate
import FoundationEssentials

extension Attempt {
    private var verdictCode: String { verdict?.rawValue ?? "unsettled" }

    public var line: String {
        let time = startedAt.ISO8601Format()
        return [time, device, family, "\(fromVersion) → \(target.version)", verdictCode].map(\.printable)
            .joined(separator: "  ")
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

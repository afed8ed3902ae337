/// How a command that did not do its job says so: one line of cause, one of remedy, a status.
public struct CommandFailure: Error, Equatable, Sendable {
    public var status: ExitStatus
    /// A stable name in snake case, for scripts.
    public var code: String
    /// One line, without the command's name and without a full stop.
    public var cause: String
    /// One line: what the person can do. Nil where the cause says it.
    public var remedy: String?

    public init(_ status: ExitStatus, code: String, cause: String, remedy: String? = nil) {
        self.status = status
        self.code = code
        self.cause = cause
        self.remedy = remedy
    }

    public static func usage(_ cause: String, remedy: String? = nil) -> CommandFailure {
        CommandFailure(.usage, code: "usage", cause: cause, remedy: remedy)
    }

    /// Standard output is closed, or full.
    static let outputClosed = CommandFailure(
        .outputNotWritable, code: "output_not_writable", cause: "standard output cannot be written")

    public var json: JSON {
        var members: [(String, JSON)] = [
            ("status", .integer(Int64(status.rawValue))), ("code", .string(code)), ("cause", .string(cause)),
        ]
        if let remedy { members.append(("remedy", .string(remedy))) }
        return .object(members)
    }
}

public import CommandLineTools

/// How something ended that took its time on the ears, for people and scripts.
public protocol CourseReport: Sendable {
    var status: ExitStatus { get }
    /// In snake case.
    var code: String { get }
    /// One line; where it is done it is what is printed.
    var cause: String { get }
    var remedy: String? { get }
}

extension CalibrationReport: CourseReport {}
extension RepairReport: CourseReport {}

extension Invocation {
    /// Says how it ended; the status is the command's.
    ///
    /// - Parameters:
    ///   - head: members of the document before the result's.
    ///   - tail: and behind them.
    public func conclude(
        _ report: some CourseReport, head: [(String, JSON)] = [], tail: [(String, JSON)] = []
    ) -> ExitStatus {
        if wantsJSON {
            let members: [(String, JSON)] = [
                ("result", .string(report.code)), ("cause", .string(report.cause)),
                ("remedy", .optional(report.remedy)),
            ]
            console.print(JSON.document(schema, head + members + tail))
        } else if report.status == .done {
            console.show(report.cause)
        }
        if report.status != .done {
            console.complain("\(program): \(report.cause)")
            if let remedy = report.remedy { console.complain("  → \(remedy)") }
        }
        return report.status
    }
}

import CommandLineTools
import FirmwareUpdate

/// How an installation ended, for people and for scripts.
struct ToldConclusion: Sendable {
    let status: ExitStatus
    /// In snake case.
    let verdict: String
    /// Behind a count of several: what the sentence says of the verdict.
    let inSum: String
    let sentence: String
    let remedy: String?
    /// Of the last record.
    let members: [(String, JSON)]

    static let upToDateInSum = "up to date"

    /// - Parameter interruption: what stopped the command, where something did.
    init(_ conclusion: EarsInstallation.Conclusion, interruption: Interruption.Cause?) {
        switch conclusion {
        case .upToDate(let version, let reading):
            self.init(
                status: .done, verdict: "up_to_date", inSum: Self.upToDateInSum,
                sentence: "\(Self.upToDateInSum): \(version.printable) runs, and is VALID", remedy: nil,
                members: [("version", .string(version)), ("status", .integer(0)), ("reading", reading.json)])
        case .ended(let result):
            let report = VerdictReport(
                result.verdict, version: result.attempt.target.version, milestone: result.attempt.milestone,
                latest: result.readings.latest, interruption: interruption)
            self.init(report, result.verdict, result.attempt, result.readings.latest)
        }
    }

    init(_ report: VerdictReport, _ verdict: Verdict, _ attempt: Attempt, _ latest: FirmwareReading?) {
        status = report.status
        self.verdict = verdict.name.rawValue
        inSum = verdict.name.inSum
        sentence = report.sentence
        remedy = report.remedy
        members = [
            ("status", .integer(Int64(report.status.rawValue))), ("sentence", .string(report.sentence)),
            ("version", .string(attempt.target.version)), ("attempt", .string(attempt.id)),
            ("reading", latest?.json ?? .null),
        ]
    }

    /// Of what ended before anything was sent.
    init(_ failure: CommandFailure) {
        status = failure.status
        verdict = failure.verdict
        let isCancelled = failure.verdict == VerdictName.cancelled.rawValue
        inSum = isCancelled ? VerdictName.cancelled.inSum : "not installed"
        sentence = isCancelled ? failure.cause.printable : "not installed: \(failure.cause.printable)"
        remedy = failure.remedy?.printable
        members = [("status", .integer(Int64(failure.status.rawValue))), ("error", failure.json)]
    }

    /// Nobody began it: the run was cancelled before.
    static func notBegun(_ cancellation: CommandFailure) -> ToldConclusion {
        ToldConclusion(
            status: cancellation.status, verdict: "not_begun", inSum: "not begun",
            sentence: "not begun: the run was \(cancellation.cause)", remedy: nil,
            members: [("status", .integer(Int64(cancellation.status.rawValue)))])
    }

    private init(
        status: ExitStatus, verdict: String, inSum: String, sentence: String, remedy: String?,
        members: [(String, JSON)]
    ) {
        self.status = status
        self.verdict = verdict
        self.inSum = inSum
        self.sentence = sentence
        self.remedy = remedy
        self.members = members
    }
}

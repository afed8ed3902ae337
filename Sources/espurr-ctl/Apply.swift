import CommandLineTools
import Ears
import EarsCommandLine

/// `apply`: makes the ears' settings those of a file.
struct Apply: Verb {
    private static let dryRun = Option("--dry-run", "show what differs, and change nothing")
    private static let skipMissing = Option("--skip-missing", "leave out what these ears do not have")

    static let usage = Usage(
        "apply", "make the settings those of an exported file", operands: Operands("FILE", 1...1),
        options: [dryRun, skipMissing] + EarsOptions.options + [.yes],
        details: [
            "Shows what differs from the ears, applies that in as few changes as fit, reads it back, and says so. What is not in "
                + "the file stays as it is, saved palettes too; it asks before it replaces one.",
            "Where anything in the file cannot be applied, all of it is named and nothing is sent: 2 for a value out of "
                + "range, 25 for what these ears do not have. Where a change does not end well, or a signal ends it "
                + "between two, the rest is not sent, and each difference is listed as in force, not in force or not known.",
        ])

    let options: EarsOptions
    let path: String
    let isDryRun: Bool
    let skipsMissing: Bool
    let isConfirmed: Bool

    init(_ arguments: ParsedArguments) throws(CommandFailure) {
        options = try EarsOptions(arguments)
        path = arguments.operands[0]
        isDryRun = arguments.has(Self.dryRun)
        skipsMissing = arguments.has(Self.skipMissing)
        isConfirmed = arguments.has(.yes)
    }

    var isForItsOutput: Bool { isDryRun }

    func run(_ invocation: Invocation) async throws(CommandFailure) -> ExitStatus {
        let document = try ExportDocument(contentsOf: path)
        let finder = try EarsFinder(invocation)
        return try await finder.withSettings(options) { owned throws(CommandFailure) in
            let status = try await askingEars { () throws(EarsError) in try await owned.session.status() }
            let plan = ApplyPlan(document, status, leavesOut: skipsMissing)
            for name in plan.leftOut { invocation.console.note("left out: \(name.printable)") }
            if let problem = plan.problems.first { return refuse(problem, plan, invocation) }
            guard !plan.isEmpty, !isDryRun else { return show(plan, invocation) }
            if plan.replacesPalettes {
                for line in isConfirmed ? [] : plan.lines { invocation.console.note(line) }
                try await invocation.ask("Replace saved palettes?", isAnswered: isConfirmed, by: "--yes")
            }
            return report(plan, try await finder.apply(plan, owned, options), invocation)
        }
    }

    /// Every problem is said; the first one's status is the command's.
    private func refuse(_ first: CommandFailure, _ plan: ApplyPlan, _ invocation: Invocation) -> ExitStatus {
        let console = invocation.console
        for problem in plan.problems { console.complain("\(invocation.program): \(problem.cause)") }
        let isMissing = plan.problems.contains { $0.status == .noSuchSetting }
        let remedy = isMissing ? "--skip-missing leaves out what is not there" : first.remedy
        if let remedy { console.complain("  → \(remedy)") }
        if invocation.wantsJSON {
            let problems = JSON.array(plan.problems.map(\.json))
            console.print(JSON.document(invocation.schema, [("error", first.json), ("problems", problems)]))
        }
        return first.status
    }

    private func show(_ plan: ApplyPlan, _ invocation: Invocation) -> ExitStatus {
        let members = plan.members + [("outcome", .string(plan.isEmpty ? "nothing_differs" : "dry_run"))]
        invocation.show(members, plan.isEmpty ? ["nothing differs"] : plan.lines + ["nothing was changed (--dry-run)"])
        return .done
    }

    private func report(_ plan: ApplyPlan, _ ended: ApplyReport, _ invocation: Invocation) -> ExitStatus {
        let isDone = ended.status == .done
        invocation.show(plan.members + ended.members, isDone ? plan.lines + [plan.doneInWords] : ended.lines)
        if !isDone {
            invocation.console.complain("\(invocation.program): \(ended.cause)")
            if let remedy = ended.remedy { invocation.console.complain("  → \(remedy)") }
        }
        return ended.status
    }
}

public import CommandLineTools
import ControlProtocol
import Ears

/// How applying a file ended.
public struct ApplyReport: Sendable {
    public let status: ExitStatus
    /// `saved`, or what the change came to that did not end well.
    public let code: String
    public let cause: String
    public let remedy: String?
    /// Of each difference, whether it is in force now; nil where that could not be read.
    public let inForce: [(line: String, isInForce: Bool?)]

    /// - Parameter report: of the change that did not end well; of the last one where all did.
    init(_ report: SettingReport, inForce: [(line: String, isInForce: Bool?)]) {
        status = report.status
        code = report.code
        cause = report.cause
        remedy = report.remedy
        self.inForce = inForce
    }

    /// - Parameter failure: what kept a change from being sent, after others that were.
    init(_ failure: CommandFailure, inForce: [(line: String, isInForce: Bool?)]) {
        status = failure.status
        code = failure.code
        cause = failure.cause + ": the rest was not sent"
        remedy = failure.remedy ?? "apply it again: what is in force already is left alone"
        self.inForce = inForce
    }

    public var lines: [String] {
        inForce.map { line, isInForce in
            let word = isInForce.map { $0 ? "in force      " : "not in force  " } ?? "not known     "
            return word + line
        }
    }

    public var members: [(String, JSON)] {
        let settings = inForce.map { line, isInForce in
            JSON.object([("change", .string(line)), ("in_force", isInForce.map(JSON.boolean) ?? .null)])
        }
        return [
            ("outcome", .string(code)), ("cause", .string(cause)), ("remedy", .optional(remedy)),
            ("changes", .array(settings)),
        ]
    }
}

extension EarsFinder {
    /// Applies what differs in as few changes as fit, reads everything back, and stops at the first that does not end
    /// well.
    ///
    /// - Throws: only where nothing was sent.
    public func apply(
        _ plan: ApplyPlan, _ owned: OwnedSession, _ options: EarsOptions
    ) async throws(CommandFailure) -> ApplyReport {
        let changes = plan.settings.map { (name: $0.setting.name, input: SettingInput.value($0.wanted)) }
        let batches = try await askingEars { () throws(EarsError) in try await owned.session.batches(changes) }
        let steps = batches.map(ApplyStep.settings) + plan.palettes.map(ApplyStep.palette)
        var last = SettingOutcome.saved([])
        var what = "it"
        var seen: [Bool?] = []
        for (number, step) in steps.enumerated() {
            console.detail("change \(number + 1) of \(steps.count)")
            what = step.what
            do throws(CommandFailure) {
                last = try await settled(owned, options) { session throws(EarsError) in
                    try await step.take(on: session)
                }
            } catch {
                // Nothing of this one was sent, but those before it were.
                guard number > 0 else { throw error }
                return ApplyReport(error, inForce: await inForce(plan, seen, owned, options))
            }
            seen += Array(repeating: last.isInForce, count: step.count)
            guard SettingReport(last).status == .done else { break }
        }
        let inForce = await inForce(plan, seen, owned, options)
        // What came before it is in force, whatever became of this one.
        let report = SettingReport(last, of: what, isOneOfSeveral: inForce.count > 1)
        // All were saved one by one, and what reads now is something else.
        guard report.status != .done || inForce.allSatisfy({ $0.isInForce != false }) else {
            return ApplyReport(SettingReport(.differs([])), inForce: inForce)
        }
        return ApplyReport(report, inForce: inForce)
    }

    /// Of each difference, read afresh: over a new link where the old one is gone. Where that is not possible, what was
    /// seen counts.
    ///
    /// - Parameter seen: of the first differences; the others were not sent.
    private func inForce(
        _ plan: ApplyPlan, _ seen: [Bool?], _ owned: OwnedSession, _ options: EarsOptions
    ) async -> [(line: String, isInForce: Bool?)] {
        let session = owned.session
        var status = await LastLook.run { try? await session.status() }
        if status == nil, !Task.isCancelled {
            status = await again(owned, options, saying: nil) { try? await $0.session.status() } ?? nil
        }
        guard let status else { return plan.inForce(asSeen: seen) }
        return plan.settings.map { ($0.line, status.shows($0)) }
            + plan.palettes.map { ($0.line, status.palettes?.named($0.name)?.palette == $0.wanted) }
    }
}

extension ApplyPlan {
    /// - Parameter seen: of the first differences, nil where it is not known; the others were not sent.
    func inForce(asSeen seen: [Bool?]) -> [(line: String, isInForce: Bool?)] {
        lines.enumerated().map { number, line in (line, number < seen.count ? seen[number] : false) }
    }
}

extension SettingOutcome {
    /// Whether all of a change was in force when it was last looked at; nil where that is not known.
    fileprivate var isInForce: Bool? {
        switch self {
        case .saved, .appliedTemporary, .appliedNotSaved, .appliedUnsettled: true
        case .refused, .notApplied: false
        case .differs, .unknown: nil
        }
    }
}

/// One change of several.
private enum ApplyStep: Sendable {
    case settings([(name: String, input: SettingInput)])
    case palette(ApplyPlan.PaletteDifference)

    /// What a refusal is of, where the ears name no setting.
    var what: String {
        switch self {
        case .settings: "it"
        case .palette(let palette): "the palette “\(palette.name.printable)”"
        }
    }

    /// Differences that it is made of.
    var count: Int {
        switch self {
        case .settings(let changes): changes.count
        case .palette: 1
        }
    }

    func take(on session: EarsSession) async throws(EarsError) -> SettingOutcome {
        switch self {
        case .settings(let changes): return try await session.set(changes)
        case .palette(let palette):
            return try await session.perform(
                PaletteCommand.save(name: palette.name, replace: palette.current != nil, palette: palette.wanted))
        }
    }
}

extension EarsStatus {
    fileprivate func shows(_ difference: ApplyPlan.Difference) -> Bool {
        guard let setting = settings.first(where: { $0.name == difference.setting.name }) else { return false }
        return setting.difference(to: difference.wanted) == nil
    }
}

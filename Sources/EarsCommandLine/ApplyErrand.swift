public import CommandLineTools
import ControlProtocol
import Ears

/// How applying a file ended.
public struct ApplyReport: Sendable {
    /// Of the change that did not end well; of the last one where all did.
    public let report: SettingReport
    /// Of each difference, whether it is in force now; nil where that could not be read.
    public let inForce: [(line: String, isInForce: Bool?)]

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
            ("outcome", .string(report.code)), ("cause", .string(report.cause)),
            ("remedy", .optional(report.remedy)), ("changes", .array(settings)),
        ]
    }
}

extension EarsFinder {
    /// Applies what differs in as few changes as fit, reads everything back, and stops at the first that does not end
    /// well.
    public func apply(
        _ plan: ApplyPlan, _ owned: OwnedSession, _ options: EarsOptions
    ) async throws(CommandFailure) -> ApplyReport {
        let changes = plan.settings.map { (name: $0.setting.name, input: SettingInput.value($0.wanted)) }
        let batches = try await askingEars { () throws(EarsError) in try await owned.session.batches(changes) }
        var last = SettingOutcome.saved([])
        for batch in batches {
            last = try await settled(owned, options) { session throws(EarsError) in try await session.set(batch) }
            guard SettingReport(last).status == .done else { return await report(last, plan, owned, options) }
        }
        for palette in plan.palettes {
            let command = PaletteCommand.save(
                name: palette.name, replace: palette.current != nil, palette: palette.wanted)
            last = try await settled(owned, options) { session throws(EarsError) in try await session.perform(command) }
            let what = "the palette “\(palette.name.printable)”"
            guard SettingReport(last).status == .done else { return await report(last, of: what, plan, owned, options) }
        }
        return await report(last, plan, owned, options)
    }

    /// What is in force, read afresh: over a new link where the old one is gone.
    private func report(
        _ outcome: SettingOutcome, of what: String = "it", _ plan: ApplyPlan, _ owned: OwnedSession,
        _ options: EarsOptions
    ) async -> ApplyReport {
        let session = owned.session
        var status = await LastLook.run { try? await session.status() }
        if status == nil, !Task.isCancelled {
            status = await again(owned, options, saying: nil) { try? await $0.session.status() } ?? nil
        }
        let settings = plan.settings.map { difference in
            (difference.line, status.map { $0.shows(difference) })
        }
        let palettes = plan.palettes.map { difference in
            (difference.line, status.map { $0.palettes?.named(difference.name)?.palette == difference.wanted })
        }
        let inForce = (settings + palettes).map { (line: $0.0, isInForce: $0.1) }
        let isWhole = inForce.allSatisfy { $0.isInForce == true }
        // What came before it is in force, whatever became of this one.
        let report = SettingReport(outcome, of: what, isOneOfSeveral: inForce.count > 1)
        // All were saved one by one, and what reads now is something else.
        guard report.status != .done || isWhole || status == nil else {
            return ApplyReport(report: SettingReport(.differs([])), inForce: inForce)
        }
        return ApplyReport(report: report, inForce: inForce)
    }
}

extension EarsStatus {
    fileprivate func shows(_ difference: ApplyPlan.Difference) -> Bool {
        guard let setting = settings.first(where: { $0.name == difference.setting.name }) else { return false }
        return setting.difference(to: difference.wanted) == nil
    }
}

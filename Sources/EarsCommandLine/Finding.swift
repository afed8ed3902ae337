public import CommandLineTools

/// One thing that a diagnosis found.
public struct Finding: Equatable, Sendable {
    public enum Weight: String, Hashable, Sendable {
        /// Commands that meet it end with its status.
        case obstacle
        /// Commands work; its status is what they would end with if it got in their way.
        case caution
    }

    public var weight: Weight
    public var failure: CommandFailure

    public static func obstacle(_ failure: CommandFailure) -> Finding { Finding(weight: .obstacle, failure: failure) }
    public static func caution(_ failure: CommandFailure) -> Finding { Finding(weight: .caution, failure: failure) }
}

/// Everything that a diagnosis found, and how it is told.
public struct Diagnosis: Equatable, Sendable {
    public var findings: [Finding]
    public var facts: MachineFacts

    public init(findings: [Finding], facts: MachineFacts) {
        self.findings = findings
        self.facts = facts
    }

    /// Of the first obstacle: the one that commands meet first. Cautions do not count.
    public var status: ExitStatus { findings.first { $0.weight == .obstacle }?.failure.status ?? .done }

    /// Two lines a finding, the obstacles first. Where nothing is in the way, what was not looked at for it comes last.
    public var lines: [String] {
        let sorted = findings.filter { $0.weight == .obstacle } + findings.filter { $0.weight == .caution }
        let found = sorted.flatMap { finding -> [String] in
            let failure = finding.failure
            let head =
                finding.weight == .obstacle ? "in the way (\(failure.status.rawValue)): " : "to know: "
            return [head + failure.cause.printable] + [failure.remedy.map { "  → \($0.printable)" }].compactMap { $0 }
        }
        guard status == .done else { return found }
        return found + ["nothing is in the way" + facts.inWords, facts.notLookedAtInWords]
    }

    public var members: [(String, JSON)] {
        let list = findings.map { finding -> JSON in
            .object([
                ("weight", .string(finding.weight.rawValue)),
                ("status", .integer(Int64(finding.failure.status.rawValue))), ("code", .string(finding.failure.code)),
                ("cause", .string(finding.failure.cause)), ("remedy", .optional(finding.failure.remedy)),
            ])
        }
        return [("status", .integer(Int64(status.rawValue))), ("findings", .array(list))] + facts.members
    }
}

import CommandLineTools
import ControlProtocol
import Ears
import EarsCommandLine
import Testing

@Suite struct SettingReportTests {
    static let rows: [(SettingOutcome, Status, String, Bool)] = [
        (.saved([]), .done, "saved", false),
        (.appliedTemporary([]), .done, "applied_temporary", false),
        (.appliedNotSaved(.saveFailed, []), .appliedNotSaved, "applied_not_saved", true),
        (.appliedNotSaved(.deadline, []), .appliedNotSaved, "applied_not_saved", true),
        (.differs([]), .earsRefused, "differs", false),
        (.notApplied, .linkLost, "not_applied", true),
        (.refused(nil), .earsRefused, "refused", false),
    ]

    @Test(arguments: rows)
    func `each outcome has its status`(outcome: SettingOutcome, status: Status, code: String, hasRemedy: Bool) {
        let report = SettingReport(outcome)
        #expect(report.status == status)
        #expect(report.code == code)
        #expect((report.remedy != nil) == hasRemedy)
    }

    static let refusals: [(SettingRefusalReason, String, Bool)] = [
        (.none, "without a reason", false), (.staleRevision, "somebody else", true),
        (.outOfRange, "out of range", false),
        (.readOnly, "read only", false), (.capabilityMissing, "lack", false), (.wrongMode, "mode", false),
        (.busy, "busy", true), (.unknown(99), "without a reason", false),
    ]

    @Test(arguments: refusals)
    func `a refusal says why and that nothing was changed`(reason: SettingRefusalReason, word: String, hasRemedy: Bool)
    {
        let report = SettingReport(.refused(SettingRefusal(changeID: 1, property: 0, reason: reason)))
        #expect(report.status == .earsRefused)
        #expect(report.cause.contains(word) && report.cause.hasSuffix("nothing was changed"))
        #expect((report.remedy != nil) == hasRemedy)
    }
}

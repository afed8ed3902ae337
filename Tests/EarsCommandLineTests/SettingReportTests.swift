import Bluetooth
import CommandLineTools
import ControlProtocol
import Ears
import EarsCommandLine
import Testing

@Suite struct SettingReportTests {
    static let change = PendingChange(
        id: 1, basedOnRevision: 0,
        items: [.init(setting: "brightness", wanted: .integer(40), isSecret: false, property: 4)], isTemporary: false)

    static let rows: [(SettingOutcome, Status, String, Bool)] = [
        (.saved([]), .done, "saved", false),
        (.appliedTemporary([]), .done, "applied_temporary", false),
        (.appliedNotSaved(.saveFailed(nil), []), .appliedNotSaved, "applied_not_saved", true),
        (.appliedNotSaved(.saveFailed(.damaged), []), .appliedNotSaved, "applied_not_saved", true),
        (.appliedNotSaved(.deadline, []), .appliedNotSaved, "applied_not_saved", true),
        (.appliedUnsettled(change, .bluetooth(.cancelled), []), .cancelled, "applied", true),
        (.appliedUnsettled(change, .bluetooth(.abandoned(.read)), []), .cancelled, "applied", true),
        (.appliedUnsettled(change, .bluetooth(.linkLost(during: .read)), []), .outcomeUnknown, "applied", true),
        (.unknown(change, .lost(.bluetooth(.abandoned(.write)))), .outcomeUnknown, "unknown", true),
        (.differs([]), .earsRefused, "differs", false),
        (.notApplied, .linkLost, "not_applied", true),
        (.refused(nil, change), .earsRefused, "refused", false),
    ]

    @Test(arguments: rows)
    func `each outcome has its status`(outcome: SettingOutcome, status: Status, code: String, hasRemedy: Bool) {
        let report = SettingReport(outcome)
        #expect(report.status == status)
        #expect(report.code == code)
        #expect((report.remedy != nil) == hasRemedy)
    }

    @Test func `the settings of one change are in columns`() {
        let report = SettingReport(
            .saved([
                SettingReading(setting: "effect", wanted: .choice("aurora"), read: .choice("aurora")),
                SettingReading(setting: "brightness", wanted: .integer(30), read: .integer(40), unit: "%"),
            ]))
        #expect(report.lines == ["effect      aurora", "brightness  40 %  (asked for: 30)"])
    }

    @Test(
        arguments: [
            (.damaged, "for the storage is damaged", "recover repair-storage"),
            (.repairFailed, "for the storage is damaged, and a repair of it failed", "recover repair-storage"),
            (.repairing, "for the storage is being repaired", "wait for the end of the repair"),
        ] as [(StorageHealth, String, String)])
    func `what the storage kept from being saved names it, and what mends it`(
        health: StorageHealth, cause: String, remedy: String
    ) {
        let report = SettingReport(.appliedNotSaved(.saveFailed(health), []), notSaved: "something else")
        #expect(report.cause.contains(cause) && report.remedy?.contains(remedy) == true)
        #expect(JSON.object(report.members).text.contains("\"storage\":\"\(health.code)\""))
    }

    @Test(arguments: [nil, .good, .notReported, .unknown(9)] as [StorageHealth?])
    func `storage that is not known to be damaged is not blamed`(health: StorageHealth?) {
        let report = SettingReport(.appliedNotSaved(.saveFailed(health), []), notSaved: "something else")
        #expect(!report.cause.contains("storage") && report.remedy == "something else")
    }

    static let refusals: [(SettingRefusalReason, String, Bool)] = [
        (.none, "without a reason", false), (.staleRevision, "somebody else", true),
        (.outOfRange, "out of range", false),
        (.readOnly, "read only", false), (.capabilityMissing, "lack", false), (.wrongMode, "mode", false),
        (.busy, "busy", true), (.nameEmpty, "name is needed", false), (.nameTooLong, "too long", true),
        (.nameTaken, "taken", true), (.nameNotAllowed, "not allowed", true), (.noSpace, "no space", true),
        (.notFound, "do not have it", false), (.sensorFailed, "sensor", false), (.unknown(99), "reason 99", false),
    ]

    @Test(arguments: refusals)
    func `a refusal says why and that nothing was changed`(reason: SettingRefusalReason, word: String, hasRemedy: Bool)
    {
        let report = SettingReport(.refused(SettingRefusal(changeID: 1, property: 0, reason: reason), Self.change))
        #expect(report.status == .earsRefused)
        #expect(report.cause.contains(word) && report.cause.hasSuffix("nothing was changed"))
        #expect((report.remedy != nil) == hasRemedy)
    }

    @Test func `a setting that the ears call out of range is answered with what shows its range`() {
        func remedy(_ property: UInt32) -> String? {
            let refusal = SettingRefusal(changeID: 1, property: property, reason: .outOfRange)
            return SettingReport(.refused(refusal, Self.change)).remedy
        }
        #expect(remedy(4) == "espurr-ctl get shows what it can be")
        #expect(remedy(9) == nil)
    }

    @Test func `a refusal keeps what was asked for, but never a secret`() {
        let refusal = SettingRefusal(changeID: 1, property: 4, reason: .outOfRange)
        #expect(SettingReport(.refused(refusal, Self.change)).cause.contains("“brightness 40”"))
        var secret = Self.change
        secret.items = [.init(setting: "wifi-password", wanted: .text("hunter22"), isSecret: true, property: 4)]
        let report = SettingReport(.refused(refusal, secret))
        #expect(report.cause.contains("“wifi-password”"))
        #expect(!(report.cause + JSON.object(report.members).text).contains("hunter22"))
    }
}

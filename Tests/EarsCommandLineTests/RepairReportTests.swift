import Bluetooth
import CommandLineTools
import ControlProtocol
import Ears
import EarsCommandLine
import Synchronization
import Testing

@Suite struct RepairReportTests {
    private static let good = StorageState(health: .good, lostByRepair: ["settings", "the \u{1B}[2Jcalibration"])
    private static let change = PendingChange(id: 1, basedOnRevision: 0, items: [], isTemporary: true)

    static let rows: [(RepairOutcome, Status, String)] = [
        (.repaired(good), .done, "repaired"),
        (.failed(StorageState(health: .repairFailed)), .earsRefused, "repair_failed"),
        (.failed(StorageState(health: .damaged)), .earsRefused, "repair_failed"),
        (.notBegun(.notApplied), .linkLost, "not_applied"),
        (.notBegun(.refused(nil, change)), .earsRefused, "refused"),
        (.goodOtherwise(good), .outcomeUnknown, "good_otherwise"),
        (.unknown(change, .bluetooth(.linkLost(during: .read))), .outcomeUnknown, "unknown"),
        (.left(good), .cancelled, "cancelled"), (.left(nil), .cancelled, "cancelled"),
        (.overdue(StorageState(health: .repairing)), .outcomeUnknown, "unknown"),
    ]

    @Test(arguments: rows)
    func `each end of a repair has its status`(outcome: RepairOutcome, status: Status, code: String) {
        let report = RepairReport(outcome)
        #expect(report.status == status)
        #expect(report.code == code)
        #expect(!report.cause.contains("\u{1B}"))
        // Of settings there is nothing to see in recovery mode.
        #expect(report.remedy?.contains("espurr-ctl get") != true)
    }

    @Test func `what was lost is told, and what it is`() {
        #expect(RepairReport(.repaired(Self.good)).cause.contains("lost: settings, the "))
        #expect(RepairReport(.failed(StorageState(health: .damaged))).cause.contains("damaged"))
        #expect(StorageState(health: .damaged).lostInWords == "what the ears keep there, which they do not name")
    }

    static let healths: [(StorageHealth, String)] = [
        (.notReported, "not_reported"), (.good, "good"), (.damaged, "damaged"), (.repairing, "repairing"),
        (.repairFailed, "repair_failed"), (.unknown(9), "unknown_9"),
    ]

    @Test(arguments: healths)
    func `each state of the storage has a code and words`(health: StorageHealth, code: String) {
        #expect(health.code == code)
        #expect(!health.inWords.isEmpty)
    }

    @Test func `a password whose outcome is unknown is not looked for where it cannot be read`() {
        var change = SettingReportTests.change
        #expect(SettingReport(.unknown(change, .stillPending)).remedy == "espurr-ctl get shows what is in force")
        change.items = [.init(setting: "wifi-password", wanted: .hidden, isSecret: true, property: 4)]
        #expect(SettingReport(.unknown(change, .stillPending)).remedy == "set it again")
    }

    private func concluded(_ outcome: RepairOutcome, json: Bool) -> (status: Status, output: String, messages: String) {
        let written = Mutex((output: "", messages: ""))
        let style = Console.Style(isTerminal: false, hasColour: false, width: 80)
        let input = Console.Input(descriptor: -1, isTerminal: false)
        let console = Console(output: style, messages: style, input: input) { stream, bytes in
            written.withLock { written in
                let text = String(decoding: bytes, as: UTF8.self)
                if stream == .output { written.output += text } else { written.messages += text }
            }
            return true
        }
        let invocation = Invocation(
            program: "espurr-ota", verb: "recover", console: console, environment: [:], wantsJSON: json,
            interruption: Interruption())
        let status = invocation.conclude(RepairReport(outcome), head: [("event", .string("result"))])
        return written.withLock { (status, $0.output, $0.messages) }
    }

    @Test func `what is done is printed, what is not is complained of, and a script gets either`() {
        let done = concluded(.repaired(StorageState(health: .good, lostByRepair: ["settings"])), json: false)
        #expect(done == (.done, "the storage is repaired and good; lost: settings\n", ""))
        let failed = concluded(.failed(StorageState(health: .repairFailed)), json: true)
        #expect(failed.status == .earsRefused)
        #expect(failed.output.hasPrefix(#"{"schema":"espurr.recover/1","event":"result","result":"repair_failed","#))
        let complaint = "espurr-ota: not repaired: the storage is damaged: a repair of it failed\n  → "
        #expect(failed.messages.hasPrefix(complaint))
    }
}

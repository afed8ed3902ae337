public import CommandLineTools
import ControlProtocol
import Ears
public import EarsCommandLine
import FirmwareUpdate

/// One run of `recover`, with ears that are in recovery mode.
public struct RecoveryErrand: Sendable {
    private let invocation: Invocation
    private let finder: EarsFinder
    private let options: EarsOptions

    public init(invocation: Invocation, finder: EarsFinder, options: EarsOptions) {
        self.invocation = invocation
        self.finder = finder
        self.options = options
    }

    private var console: Console { invocation.console }

    /// What they hold, and what can be done.
    public func show() async throws(CommandFailure) -> ExitStatus {
        let elsewhere = "espurr-ota status shows what runs; espurr-ota install updates them"
        let report = try await finder.withRecovery(options, elsewhere: elsewhere) { owned throws(CommandFailure) in
            try await askingEars { () throws(EarsError) in try await RecoveryReport(of: owned.session) }
        }
        if invocation.wantsJSON {
            console.print(JSON.document(invocation.schema, head("status") + report.members))
        } else {
            for line in report.lines { console.show(line) }
        }
        return .done
    }

    public func set(_ password: AccessPointPassword) async throws(CommandFailure) -> ExitStatus {
        let elsewhere = "espurr-ctl wifi password sets it in normal mode"
        let outcome = try await finder.withRecovery(options, elsewhere: elsewhere) { owned throws(CommandFailure) in
            // Before somebody types what the ears would not keep.
            if let why = try? await owned.session.storage().health.whyNotSaved {
                console.note("the storage \(why): a password holds until the next restart, and is not saved")
            }
            return try await password.set(on: owned, with: finder, options, invocation)
        }
        return invocation.report(
            outcome, more: head("wifi-password"), notSaved: "espurr-ota recover shows whether the storage is damaged",
            done: [AccessPointPassword.done])
    }

    /// Asks, unless `isConfirmed`, and waits for the end.
    public func repairStorage(isConfirmed: Bool) async throws(CommandFailure) -> ExitStatus {
        let elsewhere = "only recovery mode repairs it; espurr-ota recover --help says how ears get there"
        let report = try await finder.withRecovery(options, elsewhere: elsewhere) { owned throws(CommandFailure) in
            let storage = try await askingEars { () throws(EarsError) in try await owned.session.storage() }
            guard storage.health != .good else { return RepairReport.nothingToRepair }
            console.note("the storage is \(storage.health.inWords)")
            console.note("a repair loses: \(storage.lostInWords); bonds stay")
            try await invocation.ask("Repair it?", isAnswered: isConfirmed, by: "--yes")
            return RepairReport(try await finder.repaired(owned, options, tell))
        }
        return invocation.conclude(report, head: head("repair-storage", event: "result"))
    }

    private func tell(_ state: StorageState, _ elapsed: Duration) {
        let seconds = elapsed.components.seconds
        guard invocation.wantsJSON else {
            return console.progress("the storage is \(state.health.inWords)  \(seconds) s")
        }
        let look: [(String, JSON)] = [("health", .string(state.health.code)), ("seconds", .integer(seconds))]
        console.print(JSON.document(invocation.schema, head("repair-storage", event: "progress") + look))
    }

    /// The way out.
    public func restart() async throws(CommandFailure) -> ExitStatus {
        let elsewhere = "there is nothing to leave: espurr-ota status shows what runs"
        let exit = try await finder.withRecovery(options, elsewhere: elsewhere) { owned throws(CommandFailure) in
            try await askingEars { () throws(EarsError) in
                try await RecoveryExit.take(over: owned.session, central: finder.central, clock: finder.clock) {
                    event in
                    if case .phase(let phase) = event { console.note(phase.inWords) }
                }
            }
        }
        let report = RecoveryExitReport(exit)
        let reading: [(String, JSON)] = [("reading", report.reading?.json ?? .null)]
        let status = invocation.conclude(report, head: head("restart"), tail: reading)
        if status == .done, let remedy = report.remedy { console.note("  → \(remedy)") }
        return status
    }

    /// The first members of a document.
    private func head(_ action: String, event: String? = nil) -> [(String, JSON)] {
        [("action", .string(action))] + (event.map { [("event", .string($0))] } ?? [])
    }
}

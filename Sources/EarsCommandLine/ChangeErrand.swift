public import CommandLineTools
import Bluetooth
public import Ears

extension EarsFinder {
    /// Makes a change, and reads what became of it over a new link where the link was lost: once, and nothing is sent
    /// again.
    public func settled(
        _ owned: OwnedSession, _ options: EarsOptions,
        _ change: (EarsSession) async throws(EarsError) -> SettingOutcome
    ) async throws(CommandFailure) -> SettingOutcome {
        let outcome = try await askingEars { () throws(EarsError) in try await change(owned.session) }
        guard let pending = outcome.unsettled, !Task.isCancelled else { return outcome }
        let settled = await again(owned, options) { again in
            await Result { () async throws(EarsError) in try await again.session.settle(pending) }
        }
        return (try? settled?.get()) ?? outcome
    }

    /// Connects again, once, after a link that was lost; nil where that does not work.
    func again<Value: Sendable>(
        _ owned: OwnedSession, _ options: EarsOptions,
        saying note: String? = "the link was lost; connecting again to read what became of it…",
        _ body: (OwnedSession) async -> Value
    ) async -> Value? {
        if let note { console.note(note) }
        await owned.close()
        do throws(CommandFailure) {
            let again = try await reopen(owned, within: TimeLimit(options.timeout, on: clock))
            let value = await body(again)
            await again.close()
            return value
        } catch {
            console.detail("that failed: \(error.cause)")
            return nil
        }
    }
}

extension Result where Failure == EarsError {
    init(_ body: () async throws(EarsError) -> Success) async {
        do throws(EarsError) { self = .success(try await body()) } catch { self = .failure(error) }
    }
}

extension Invocation {
    /// Says how a change ended; the status is the command's.
    ///
    /// - Parameters:
    ///   - more: members of the document before the outcome's.
    ///   - what: what a refusal is of, where it is no setting: as it was typed.
    ///   - notSaved: what is to be done about one that could not be saved.
    ///   - done: what is printed where it is done, instead of each setting as it reads.
    public func report(
        _ outcome: SettingOutcome, of what: String = "it", more: [(String, JSON)] = [],
        notSaved: String = "set it again", done: [String]? = nil
    ) -> ExitStatus {
        let report = SettingReport(outcome, of: what, notSaved: notSaved)
        if wantsJSON {
            console.print(JSON.document(schema, more + report.members))
        } else if report.status == .done, let done {
            for line in done { console.show(line) }
        } else {
            for line in report.lines { console.show(line) }
        }
        if report.status != .done {
            console.complain("\(program): \(report.cause)")
            if let remedy = report.remedy { console.complain("  → \(remedy)") }
        }
        return report.status
    }
}

public import CommandLineTools
public import ControlProtocol
public import Ears

extension EarsFinder {
    /// Has the storage repaired; where the link is lost, reads over a new one how it goes on and ends. Nothing is sent
    /// twice.
    public func repaired(
        _ owned: OwnedSession, _ options: EarsOptions, _ report: @escaping @Sendable (StorageState, Duration) -> Void
    ) async throws(CommandFailure) -> RepairOutcome {
        let outcome = try await askingEars { () throws(EarsError) in
            try await owned.session.repairStorage(report: report)
        }
        guard case .unknown(let change, let error) = outcome, error.endsSession, !Task.isCancelled else {
            return outcome
        }
        let settled = await again(owned, options) { again in
            await Result { () async throws(EarsError) in try await again.session.settleRepair(change, report: report) }
        }
        return (try? settled?.get()) ?? outcome
    }
}

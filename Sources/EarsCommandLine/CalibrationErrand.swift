public import CommandLineTools
public import ControlProtocol
public import Ears

extension EarsFinder {
    /// Calibrates; where the link is lost, reads over a new one how it goes on and ends.
    public func calibrated(
        _ owned: OwnedSession, _ options: EarsOptions, _ report: @escaping @Sendable (Calibration) -> Void
    ) async throws(CommandFailure) -> CalibrationOutcome {
        let outcome = try await askingEars { () throws(EarsError) in try await owned.session.calibrate(report: report) }
        guard case .unknown(let changeID, let error) = outcome, error.endsSession, !Task.isCancelled else {
            return outcome
        }
        return await again(owned, options) { again in
            await again.session.followCalibration(changeID, report: report)
        } ?? outcome
    }
}

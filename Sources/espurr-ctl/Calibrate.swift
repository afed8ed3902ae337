import CommandLineTools
import ControlProtocol
import EarsCommandLine

/// `calibrate`: calibrates the motion sensors.
struct Calibrate: Verb {
    static let usage = Usage(
        "calibrate", "calibrate the motion sensors, and wait for the result", options: EarsOptions.options,
        details: [
            "Put the ears on and hold still: two seconds without a movement are needed, within five. A calibration that "
                + "fails leaves the one before it in force. Ctrl-C cancels it on the ears too.",
            "With --json each look at it is a line, “progress”, and the last line is the “result”.",
        ])

    let options: EarsOptions

    init(_ arguments: ParsedArguments) throws(CommandFailure) { options = try EarsOptions(arguments) }

    func run(_ invocation: Invocation) async throws(CommandFailure) -> ExitStatus {
        let finder = try EarsFinder(invocation)
        let outcome = try await finder.withSettings(options) { owned throws(CommandFailure) in
            try await finder.calibrated(owned, options) { calibration in
                if invocation.wantsJSON {
                    let members = [("event", JSON.string("progress"))] + calibration.members
                    invocation.console.print(JSON.document(invocation.schema, members))
                } else {
                    invocation.console.progress(calibration.progressLine)
                }
            }
        }
        return invocation.conclude(CalibrationReport(outcome), head: [("event", .string("result"))])
    }
}

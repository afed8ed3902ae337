import CommandLineTools
import Simulator

/// `shell`: a shell beside simulated ears.
struct Shell: Verb {
    static let usage = Usage(
        "shell", "open a shell beside simulated ears", options: SimulationArguments.all,
        details: ["As “run”, with the shell that SHELL names, or /bin/sh."] + SimulationArguments.faultList)

    let simulation: SimulationArguments

    init(_ arguments: ParsedArguments) throws(CommandFailure) { simulation = try SimulationArguments(arguments) }

    func run(_ invocation: Invocation) async throws(CommandFailure) -> ExitStatus {
        let session = SimulationSession(invocation, simulation.options)
        let shell = invocation.environment["SHELL"].flatMap { $0.isEmpty ? nil : $0 } ?? "/bin/sh"
        let end = try await session.with { simulation throws(SimulationError) in
            invocation.console.note(
                "simulated ears are here: try “espurr-ctl info”, “espurr-ota check”; “exit” ends them")
            return try await session.run([shell], in: simulation)
        }
        end.leave()
    }
}

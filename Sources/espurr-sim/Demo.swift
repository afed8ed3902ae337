import CommandLineTools
import Simulator

/// `demo`: the whole job, each command line shown before it runs.
struct Demo: Verb {
    static let usage = Usage(
        "demo", "show the whole job on simulated ears: pair, check, install",
        options: [SimulationArguments.family, SimulationArguments.fault],
        details: [
            "The ears are fresh and not yet paired. The digits of the pairing are compared with those on their serial "
                + "console, and somebody clicks their button. It ends with 0 only if every command did."
        ] + SimulationArguments.faultList)

    let simulation: SimulationArguments

    init(_ arguments: ParsedArguments) throws(CommandFailure) {
        var simulation = try SimulationArguments(arguments)
        simulation.options.isPaired = false
        self.simulation = simulation
    }

    func run(_ invocation: Invocation) async throws(CommandFailure) -> ExitStatus {
        let session = SimulationSession(invocation, simulation.options)
        let end = try await session.with { simulation throws(SimulationError) in
            for command in commands(simulation) {
                invocation.console.note("$ " + command.joined(separator: " "))
                let end = try await session.run(command, in: simulation)
                guard end == .exited(status: 0) else { return end }
            }
            return ProcessEnd.exited(status: 0)
        }
        end.leave()
    }

    private func commands(_ simulation: Simulation) -> [[String]] {
        [
            ["espurr-ctl", "pair", "--passkey-from", simulation.serialConsole],
            ["espurr-ota", "check"],
            ["espurr-ota", "install", "--yes"],
        ]
    }
}

import CommandLineTools
import Simulator

/// `run`: one command beside simulated ears.
struct Run: Verb {
    static let usage = Usage(
        "run", "run a command beside simulated ears", operands: Operands("-- COMMAND…", 1...4096),
        options: SimulationArguments.all,
        details: [
            "The command finds the ears on a D-Bus of their own (DBUS_SYSTEM_BUS_ADDRESS), the demonstration catalogue in "
                + "its configuration, and espurr-ota and espurr-ctl first in PATH. What the ears print on their serial "
                + "console is in the file that ESPURR_SIM_SERIAL names.",
            "The ears are bonded with this machine and run an older release, unless options say otherwise. They are "
                + "powered off when the command ends; the exit status is the command's.",
        ] + SimulationArguments.faultList)

    let simulation: SimulationArguments
    let command: [String]

    init(_ arguments: ParsedArguments) throws(CommandFailure) {
        simulation = try SimulationArguments(arguments)
        command = arguments.operands
    }

    func run(_ invocation: Invocation) async throws(CommandFailure) -> ExitStatus {
        let session = SimulationSession(invocation, simulation.options)
        let end = try await session.with { simulation throws(SimulationError) in
            try await session.run(command, in: simulation)
        }
        end.leave()
    }
}

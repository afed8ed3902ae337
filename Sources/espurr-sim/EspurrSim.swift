import CommandLineTools
import Glibc
import Simulator

@main
struct EspurrSim {
    /// Signals go to the command that runs; this process outlives it and cleans up. Watched once there is a simulation.
    static let relay = SignalRelay()

    static func main() async {
        if DefaultAgentProgram.isAskedFor(by: CommandLine.arguments) { await DefaultAgentProgram.run() }
        let status = await Program(
            name: "espurr-sim",
            summary: "simulated ears behind a D-Bus of their own, with a signed catalogue beside them",
            verbs: [Run.self, Demo.self, Shell.self, WriteCatalogue.self], commonOptions: [.quiet, .help]
        ).runOwnWords(interruption: Interruption())
        exit(status.rawValue)
    }
}

import CommandLineTools
import Foundation
import Simulator

/// A simulation for the time of a verb: set up, used, and ended whatever happens.
struct SimulationSession {
    private let invocation: Invocation
    private let options: SimulationOptions

    init(_ invocation: Invocation, _ options: SimulationOptions) {
        self.invocation = invocation
        self.options = options
    }

    /// - Returns: what `body` returns, after everything was ended.
    func with<Result: Sendable>(
        _ body: (Simulation) async throws(SimulationError) -> Result
    ) async throws(CommandFailure) -> Result {
        try OpenFiles.check(OpenFiles.needed + OpenFiles.neededPerPair * options.ears)
        EspurrSim.relay.watch()
        do throws(SimulationError) {
            let simulation = try await Simulation.start(options, path: path)
            do throws(SimulationError) {
                let result = try await body(simulation)
                try await simulation.stop()
                return result
            } catch {
                // The first error is the one to tell; nothing is left behind either way.
                try? await simulation.stop()
                throw error
            }
        } catch {
            throw CommandFailure(error)
        }
    }

    func run(_ words: [String], in simulation: Simulation) async throws(SimulationError) -> ProcessEnd {
        try await CommandRun(words, in: simulation, over: invocation.environment)(EspurrSim.relay)
    }

    /// PATH with this executable's own folder first.
    private var path: String {
        let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")).map {
            URL(fileURLWithPath: $0).deletingLastPathComponent().path
        }
        let inherited = invocation.environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin"
        return [own, inherited].compactMap { $0 }.joined(separator: ":")
    }
}

extension ProcessEnd {
    /// Passes a command's status on, whatever it is.
    func leave() -> Never { exit(status) }
}

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

extension CommandFailure {
    init(_ error: SimulationError) {
        switch error {
        case .file(let path, let number):
            self.init(
                .outputNotWritable, code: "file",
                cause: "\(path.printable) cannot be used: \(String(cString: strerror(number)))")
        case .busDaemonMissing:
            self.init(
                .machine, code: "no_dbus_daemon", cause: "dbus-daemon is not installed",
                remedy: "install it: apt install dbus-daemon")
        case .busDaemonFailed(let log):
            let line = log.split(separator: "\n").last.map { ": " + String($0).printable } ?? ""
            self.init(.machine, code: "dbus_daemon_failed", cause: "the private dbus-daemon did not start" + line)
        case .bus(let error):
            self.init(.machine, code: "bus", cause: "the private message bus failed: \(error)")
        case .commandNotStarted(let name, let number):
            self.init(
                .usage, code: "command_not_started",
                cause: "“\(name.printable)” cannot be started: \(String(cString: strerror(number)))")
        case .serverFailed(let number):
            self.init(
                .machine, code: "no_port",
                cause: "no port on 127.0.0.1 for the catalogue: \(String(cString: strerror(number)))")
        case .stateUnreadable(let path):
            self.init(
                .usage, code: "state_unreadable", cause: "\(path.printable) is not what this simulator keeps",
                remedy: "give another folder to --state, or remove this one")
        case .otherFamily(let family):
            self.init(
                .usage, code: "other_family", cause: "the state folder keeps ears of family \(family.rawValue)",
                remedy: "--family \(family.rawValue)")
        case .stateInUse(let path):
            self.init(
                .usage, code: "state_in_use", cause: "another espurr-sim uses \(path.printable)",
                remedy: "wait for it, or give another folder to --state")
        case .demonstrationMissing(let file):
            self.init(.internalError, code: "no_demonstration", cause: "the embedded \(file) cannot be read")
        }
    }
}

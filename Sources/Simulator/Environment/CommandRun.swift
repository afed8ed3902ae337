import Glibc

/// A command in the environment of a simulation.
public struct CommandRun: Sendable {
    /// What the command left running in its group gets this long to end.
    private static let grace = Duration.seconds(1)

    public let words: [String]
    private let environment: [String]

    /// - Parameters:
    ///   - words: the command, looked up in PATH, and its arguments; not empty.
    ///   - base: the environment that the simulation's is laid over.
    public init(_ words: [String], in simulation: Simulation, over base: [String: String]) {
        self.words = words
        environment = base.merging(simulation.environment) { _, new in new }.map { "\($0.key)=\($0.value)" }.sorted()
    }

    /// Runs it to its end. It has the terminal, and gets the signals that this process gets.
    ///
    /// - Throws: `commandNotStarted`.
    public func callAsFunction(_ relay: SignalRelay) async throws(SimulationError) -> ProcessEnd {
        if let number = relay.first { return .signalled(number) }
        let foreground = TerminalForeground()
        let process = try SpawnedProcess(
            words[0], Array(words.dropFirst()), .init(environment: environment, keptSignals: relay.inheritedIgnored)
        ) {
            foreground.follow($0, stoppedBy: $1)
        }
        foreground.handOver(to: process.identifier)
        relay.attach(process)
        // One that came before the command was there to get it.
        if let number = relay.first { process.signalGroup(number) }
        let end = await process.wait()
        relay.attach(nil)
        foreground.takeBack()
        await process.endGroup(grace: Self.grace)
        return end
    }
}

import CommandLineTools
import EarsCommandLine
import FirmwareCommandLine

/// `install`: the whole way, and the truth about how it ended.
struct Install: Verb {
    static let usage = Usage(
        "install", "put firmware on the ears", operands: Operands("[VERSION|FILE]", 0...1),
        options: InstallationRequest.options,
        details: [
            "Without an argument: the newest release of the channel, if it is newer than what runs. An argument with a / "
                + "or ending in .bin is a FILE, which needs no catalogue. It counts as not authenticated by it, also where the "
                + "catalogue that was read last lists these very bytes; which release that is is told then, and with "
                + "which command ears of its family get it authenticated.",
            "Only “confirmed” ends with 0 (and “up to date”): the new image runs, and was read as VALID in its slot twice, "
                + "at least five seconds apart, with one boot count.",
            "The first Ctrl-C waits for the exchange in flight, gives the upload up on the ears and reads how they stand; "
                + "the second leaves at once. There is no partial resume.",
            "Where logind allows it, this machine is kept from sleeping meanwhile.",
            "--all, or --device more than once, is a bench: one pair at a time on each adapter, the adapters side by side, "
                + "one download for all, a line for each pair and a sum at the end. It asks once for all of them. The status "
                + "is 0 where every pair was confirmed or up to date, else 50, and the signal's where one ended the run. "
                + "--retry-failed takes those that failed or were not begun, and settles what is unknown before it sends "
                + "anything again.",
        ])

    let request: InstallationRequest

    init(_ arguments: ParsedArguments) throws(CommandFailure) { request = try InstallationRequest(arguments) }

    static func members(of failure: CommandFailure, after words: [String]) -> [(String, JSON)] {
        InstallationRequest.lastRecord(of: failure, after: words)
    }

    func run(_ invocation: Invocation) async throws(CommandFailure) -> ExitStatus {
        try await request.checkThatSomebodyAnswers(invocation)
        let clock = ContinuousClock()
        let start = clock.now
        let finder = try EarsFinder(invocation)
        if let bench = request.bench {
            return try await BenchErrand(
                invocation: invocation, finder: finder, request: request, bench: bench, now: { clock.now - start }
            ).run()
        }
        return try await InstallationErrand(
            invocation: invocation, finder: finder, request: request, now: { clock.now - start }
        ).run()
    }
}

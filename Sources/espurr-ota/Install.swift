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
                + "or ending in .bin is a FILE, which needs no catalogue.",
            "Only “confirmed” ends with 0 (and “up to date”): the new image runs, and was read as VALID in its slot twice, "
                + "at least five seconds apart, with one boot count.",
            "The first Ctrl-C waits for the exchange in flight, gives the upload up on the ears and reads how they stand; "
                + "the second leaves at once. There is no partial resume.",
        ])

    let request: InstallationRequest

    init(_ arguments: ParsedArguments) throws(CommandFailure) { request = try InstallationRequest(arguments) }

    func run(_ invocation: Invocation) async throws(CommandFailure) -> ExitStatus {
        let clock = ContinuousClock()
        let start = clock.now
        let errand = InstallationErrand(
            invocation: invocation, finder: try EarsFinder(invocation), request: request, now: { clock.now - start })
        return try await errand.run()
    }
}

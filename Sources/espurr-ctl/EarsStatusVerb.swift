import Bluetooth
import CommandLineTools
import ControlProtocol
import Ears
import EarsCommandLine

/// `status`: what the ears are doing.
struct EarsStatusVerb: Verb {
    private static let watch = Option("--watch", "go on, and show what changes")

    static let usage = Usage(
        "status", "show what the ears are doing", options: [watch] + EarsOptions.options,
        details: [
            "--watch looks every two seconds and shows what changed, until Ctrl-C or until nobody reads it; where the link is "
                + "lost it connects again, once. With --json it prints a line each time: “status”, or “link_lost”."
        ])

    static let interval = Duration.seconds(2)

    let options: EarsOptions
    let watches: Bool

    init(_ arguments: ParsedArguments) throws(CommandFailure) {
        options = try EarsOptions(arguments)
        watches = arguments.has(Self.watch)
    }

    var isForItsOutput: Bool { true }

    func run(_ invocation: Invocation) async throws(CommandFailure) -> ExitStatus {
        let finder = try EarsFinder(invocation)
        if watches {
            return try await invocation.whileRead { () throws(CommandFailure) in
                try await watch(finder, invocation)
            }
        }
        let status = try await finder.withSettings(options) { owned throws(CommandFailure) in
            try await askingEars { () throws(EarsError) in try await owned.session.status() }
        }
        invocation.show(status.members, status.rows.map(\.line))
        return .done
    }

    private func watch(_ finder: EarsFinder, _ invocation: Invocation) async throws(CommandFailure) -> ExitStatus {
        var shown = StatusWatch(invocation)
        var losses = 0
        while true {
            let seen = shown.last
            let error = try await finder.withSettings(options) { owned throws(CommandFailure) in
                await shown.follow(owned.session, on: finder.clock)
            }
            // The program says why nothing more was shown.
            guard let error else { return .done }
            guard error.endsSession, !Task.isCancelled else {
                throw Task.isCancelled ? invocation.cancellation : CommandFailure(error)
            }
            // One new connection for each loss: a link that carried no reading in between was lost for good.
            losses = shown.last == seen ? losses + 1 : 1
            guard losses <= 1 else { throw CommandFailure(error) }
            shown.lose()
        }
    }
}

/// What `--watch` has shown.
private struct StatusWatch {
    private let invocation: Invocation
    private(set) var last: EarsStatus?

    init(_ invocation: Invocation) { self.invocation = invocation }

    /// - Returns: what ended it; nil where the output could not be written.
    mutating func follow(_ session: EarsSession, on clock: any Clock<Duration>) async -> EarsError? {
        do throws(EarsError) {
            while !invocation.console.hasFailedOutput {
                let status = try await session.status()
                show(status)
                do { try await clock.sleep(for: EarsStatusVerb.interval) } catch { throw .bluetooth(.cancelled) }
            }
            return nil
        } catch {
            return error
        }
    }

    private mutating func show(_ status: EarsStatus) {
        defer { last = status }
        guard status != last else { return }
        if invocation.wantsJSON {
            let members = [("event", JSON.string("status"))] + status.members
            return invocation.console.print(JSON.document(invocation.schema, members))
        }
        let before = last?.rows.map(\.line) ?? []
        for line in status.rows.map(\.line) where !before.contains(line) { invocation.console.show(line) }
    }

    func lose() {
        if invocation.wantsJSON {
            invocation.console.print(JSON.document(invocation.schema, [("event", .string("link_lost"))]))
        } else {
            invocation.console.note("the link was lost; connecting again…")
        }
    }
}

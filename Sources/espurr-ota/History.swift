import CommandLineTools
import FirmwareCommandLine
import FirmwareUpdate

/// `history`: every attempt on this machine.
struct History: Verb {
    static let usage = Usage("history", "list every attempt on this machine, with its verdict")

    init(_ arguments: ParsedArguments) throws(CommandFailure) {}

    var isForItsOutput: Bool { true }

    func run(_ invocation: Invocation) async throws(CommandFailure) -> ExitStatus {
        let directories = try UserDirectories(environment: invocation.environment)
        let contents: AttemptLog.Contents
        do { contents = try AttemptLog(stateFolder: directories.state).contents() } catch {
            throw CommandFailure(error)
        }
        for name in contents.damaged { invocation.console.note("damaged, left out: \(name.printable)") }
        if invocation.wantsJSON {
            for attempt in contents.attempts {
                invocation.console.print(JSON.document(invocation.schema, attempt.members))
            }
        } else {
            for line in contents.attempts.lines { invocation.console.show(line) }
        }
        if contents.attempts.isEmpty { invocation.console.note("no attempt on this machine") }
        return .done
    }
}

import Glibc
import Synchronization
import TestSupport

/// `espurr-sim run`, and commands beside the same ears, one after the other.
struct SimulatedRun {
    /// The run ended before its commands did.
    struct Incomplete: Error {
        var run: BuiltProgram.Output
    }

    /// Of `espurr-sim run`.
    var options: [String]
    var deadline = Duration.seconds(180)

    init(_ options: String...) { self.options = options }

    init(_ options: [String]) { self.options = options }

    /// What each command ended with, and said.
    func callAsFunction(_ commands: [String]...) async throws -> [BuiltProgram.Output] {
        try await self(commands)
    }

    func callAsFunction(_ commands: [[String]]) async throws -> [BuiltProgram.Output] {
        try await Self.places.whileThereIsOne {
            let folder = try TemporaryFolder()
            return try await end(of: start(commands, in: folder), count: commands.count)
        }
    }

    /// The same, with something to do when a line of the output fits: it gets the pid of the command that has said so.
    func interrupting(
        _ commands: [String]..., when fits: @escaping @Sendable (String) -> Bool,
        by action: @escaping @Sendable (_ command: pid_t) -> Void
    ) async throws -> [BuiltProgram.Output] {
        try await Self.places.whileThereIsOne {
            let folder = try TemporaryFolder()
            let program = try start(commands, in: folder)
            try await Self.act(on: program, when: fits, by: action)
            return try await end(of: program, count: commands.count)
        }
    }

    /// The same, with `org.bluez` stopped, as a bluetoothd that hangs, when a line of the output fits: the first command gets
    /// the signal then, and what comes after it runs beside a daemon that has woken.
    ///
    /// - Returns: the outputs, and whether the first command ended within the limit while the daemon stood.
    func hanging(
        _ commands: [String]..., when fits: @escaping @Sendable (String) -> Bool, signal: Int32, within limit: Duration
    ) async throws -> (outputs: [BuiltProgram.Output], hasEnded: Bool) {
        try await Self.places.whileThereIsOne {
            let folder = try TemporaryFolder()
            let program = try start(commands, in: folder)
            let hasEnded = Atomic(false)
            try await Self.act(on: program, when: fits) { command in
                let end = ProcessEnd(of: command)
                program.send(SIGSTOP)
                kill(command, signal)
                hasEnded.store(end.comes(within: limit), ordering: .relaxed)
                program.send(SIGCONT)
            }
            return (try await end(of: program, count: commands.count), hasEnded.load(ordering: .relaxed))
        }
    }

    private static func act(
        on program: RunningProgram, when fits: @escaping @Sendable (String) -> Bool,
        by action: @escaping @Sendable (_ command: pid_t) -> Void
    ) async throws {
        try await program.line(where: fits) {
            let pids = program.output.split(separator: "\n").filter { $0.hasPrefix(pidMark) }
            if let pid = pids.last.flatMap({ pid_t($0.dropFirst(pidMark.count)) }) { action(pid) }
        }
    }

    /// The same, once something of the test's own is on the run's message bus; with something to do when a line of the
    /// output fits.
    func beside(
        _ prepare: (_ bus: String) async throws -> Void, _ commands: [String]...,
        when fits: @escaping @Sendable (String) -> Bool, by action: @escaping @Sendable (_ command: pid_t) -> Void
    ) async throws -> [BuiltProgram.Output] {
        try await Self.places.whileThereIsOne {
            let folder = try TemporaryFolder()
            let gate = folder.path + "/gate"
            guard mkfifo(gate, 0o600) == 0 else { throw BuiltProgram.Failure.noPipe(errno: errno) }
            let waiting = ["sh", "-c", "echo \"$DBUS_SYSTEM_BUS_ADDRESS\"; read -r _ < \(gate)"]
            let program = try start([waiting] + commands, in: folder)
            try await prepare(try await program.line { $0.hasPrefix("unix:") })
            // Open for both: neither end waits for the other.
            let opened = open(gate, O_RDWR | O_CLOEXEC)
            defer { close(opened) }
            guard write(opened, "\n", 1) == 1 else { throw BuiltProgram.Failure.noPipe(errno: errno) }
            try await Self.act(on: program, when: fits, by: action)
            return Array(try await end(of: program, count: commands.count + 1).dropFirst())
        }
    }

    /// The address of the run's message bus, for a client within the tests.
    func withBus(_ body: (String) async throws -> Void) async throws {
        try await Self.places.whileThereIsOne {
            let program = try Self.simulator.start(
                ["run"] + options + ["--", "sh", "-c", #"echo "$DBUS_SYSTEM_BUS_ADDRESS"; exec sleep 600"#],
                environment: Self.environment, in: TemporaryFolder())
            let result: Result<Void, any Error>
            do {
                try await body(try await program.line { $0.hasPrefix("unix:") })
                result = .success(())
            } catch {
                result = .failure(error)
            }
            program.send(SIGTERM)
            _ = try await program.end(within: deadline)
            try result.get()
        }
    }

    /// One command, which is the run's own; the signal goes to the run.
    func interruptingRun(
        _ command: [String], when fits: @escaping @Sendable (String) -> Bool,
        by action: @escaping @Sendable (RunningProgram) -> Void
    ) async throws -> BuiltProgram.Output {
        try await Self.places.whileThereIsOne {
            let program = try Self.simulator.start(
                ["run"] + options + ["--"] + command, environment: Self.environment, in: TemporaryFolder())
            try await program.line(where: fits) { action(program) }
            return try await program.end(within: deadline)
        }
    }

    private static let simulator = BuiltProgram("espurr-sim")
    private static let environment = ["PATH": "/usr/bin:/bin", "HOME": "/nonexistent"]

    /// Each is a message bus, a simulator and a command, which mostly wait for one another.
    private static let places = Places(8)

    private static let pidMark = "@pid "
    private static let endMark = "@end "

    private func start(_ commands: [[String]], in folder: TemporaryFolder) throws -> RunningProgram {
        let script = commands.map { command in
            let words = command.map { "'" + $0.replacing("'", with: "'\\''") + "'" }.joined(separator: " ")
            return """
                sh -c 'echo "\(Self.pidMark)$$"; exec "$@"' sh \(words)
                status=$?; echo "\(Self.endMark)$status"; echo "\(Self.endMark)$status" >&2
                """
        }
        return try Self.simulator.start(
            ["run"] + options + ["--", "sh", "-c", script.joined(separator: "\n")], environment: Self.environment,
            in: folder)
    }

    private func end(of program: RunningProgram, count: Int) async throws -> [BuiltProgram.Output] {
        let whole = try await program.end(within: deadline)
        let outputs = Self.parts(of: whole.output)
        let messages = Self.parts(of: whole.messages)
        guard outputs.count == count, messages.count == count else { throw Incomplete(run: whole) }
        return zip(outputs, messages).map { output, messages in
            BuiltProgram.Output(status: output.status, output: output.text, messages: messages.text)
        }
    }

    private static func parts(of text: String) -> [(status: Int32, text: String)] {
        var parts: [(Int32, String)] = []
        var lines: [Substring] = []
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) where !line.hasPrefix(pidMark) {
            if line.hasPrefix(endMark) {
                let text = lines.map { $0 + "\n" }.joined()
                parts.append((Int32(line.dropFirst(endMark.count)) ?? -1, text))
                lines = []
            } else {
                lines.append(line)
            }
        }
        return parts
    }
}

/// So many at a time, in the order of their coming.
actor Places {
    private var free: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init(_ count: Int) { free = count }

    nonisolated func whileThereIsOne<Result>(_ body: () async throws -> Result) async throws -> Result {
        await take()
        do {
            let result = try await body()
            await giveBack()
            return result
        } catch {
            await giveBack()
            throw error
        }
    }

    private func take() async {
        if free > 0 {
            free -= 1
        } else {
            await withCheckedContinuation { waiting.append($0) }
        }
    }

    private func giveBack() {
        if waiting.isEmpty { free += 1 } else { waiting.removeFirst().resume() }
    }
}

extension BuiltProgram.Output {
    /// The one document, or the last one of JSON Lines.
    var document: JSONDocument { documents.last ?? .null }

    /// Standard error as its lines: cause, remedy.
    var messageLines: [String] { messages.split(separator: "\n").map(String.init) }

    /// Whether all that was said is one line of cause and one of remedy.
    var isCauseAndRemedy: Bool {
        messageLines.count == 2 && messageLines[0].hasPrefix("espurr-") && messageLines[1].hasPrefix("  → ")
    }
}

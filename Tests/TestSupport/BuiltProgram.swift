public import Foundation

/// One of the package's executables, as it was built beside these tests.
public struct BuiltProgram: Sendable {
    public let path: String

    public init(_ name: String) {
        path = BuiltProgram.folder + "/" + name
    }

    /// Where the test bundle stands, the executables stand too.
    public static let folder: String = {
        let bundle = CommandLine.arguments.first { $0.hasSuffix(".xctest") } ?? CommandLine.arguments[0]
        let url = URL(fileURLWithPath: bundle).resolvingSymlinksInPath()
        return url.deletingLastPathComponent().path
    }()

    /// The package's own folder.
    public static let packageFolder: String =
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().path

    public struct Output: Hashable, Sendable {
        /// As a shell counts it: 128 and the signal's number where one ended it.
        public var status: Int32
        public var output: String
        public var messages: String

        /// The documents of JSON Lines.
        public var documents: [[String: any Sendable]] {
            output.split(separator: "\n").compactMap { line in
                (try? JSONSerialization.jsonObject(with: Data(line.utf8))) as? [String: any Sendable]
            }
        }
    }

    public enum Failure: Error, Equatable {
        case notStarted(errno: Int32)
        /// It was killed then; what it had said until then.
        case deadline(output: String, messages: String)
    }

    /// Starts it; what it says goes into files of the folder.
    ///
    /// - Parameter environment: whole; nothing is inherited.
    public func start(
        _ arguments: [String], environment: [String: String], in folder: TemporaryFolder
    ) throws -> RunningProgram {
        let (output, messages) = (folder.path + "/output", folder.path + "/messages")
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, messages, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // A child of a concurrency thread would inherit its blocked signals.
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        var words = ([path] + arguments).map { strdup($0) } + [nil]
        var variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for pointer in words + variables { free(pointer) } }
        var process: pid_t = 0
        let result = posix_spawn(&process, path, &actions, &attributes, &words, &variables)
        guard result == 0 else { throw Failure.notStarted(errno: result) }
        return RunningProgram(process: process, outputPath: output, messagesPath: messages)
    }

    /// Runs it to its end.
    public func run(
        _ arguments: [String], environment: [String: String] = ["PATH": "/usr/bin:/bin", "HOME": "/nonexistent"],
        deadline: Duration = .seconds(60)
    ) async throws -> Output {
        let folder = try TemporaryFolder()
        return try await start(arguments, environment: environment, in: folder).end(within: deadline)
    }
}

/// A program under way.
public struct RunningProgram: Sendable {
    public let process: pid_t
    let outputPath: String
    let messagesPath: String

    public var output: String { (try? String(contentsOfFile: outputPath, encoding: .utf8)) ?? "" }
    public var messages: String { (try? String(contentsOfFile: messagesPath, encoding: .utf8)) ?? "" }

    public func send(_ signal: Int32) { kill(process, signal) }

    /// Waits for its end on a thread of its own; kills it where the deadline passes first.
    public func end(within deadline: Duration) async throws -> BuiltProgram.Output {
        let timer = Task {
            try await Task.sleep(for: deadline)
            kill(process, SIGKILL)
            return true
        }
        let raw = await withCheckedContinuation { (continuation: CheckedContinuation<Int32, Never>) in
            Thread.detachNewThread {
                var status: Int32 = 0
                while waitpid(process, &status, 0) < 0, errno == EINTR {}
                continuation.resume(returning: status)
            }
        }
        timer.cancel()
        if (try? await timer.value) == true { throw BuiltProgram.Failure.deadline(output: output, messages: messages) }
        let signal = raw & 0x7F
        let status = signal == 0 ? (raw >> 8) & 0xFF : 128 + signal
        return BuiltProgram.Output(status: status, output: output, messages: messages)
    }
}

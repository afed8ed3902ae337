import Foundation

/// One of the package's executables, as it was built beside these tests.
public struct BuiltProgram: Sendable {
    public let path: String

    public init(_ name: String) {
        path = BuiltProgram.folder + "/" + name
    }

    /// A program that others made.
    public init(path: String) { self.path = path }

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

        public init(status: Int32, output: String, messages: String) {
            self.status = status
            self.output = output
            self.messages = messages
        }

        /// The documents of JSON Lines; other lines are left out.
        public var documents: [JSONDocument] {
            output.split(separator: "\n").compactMap { JSONDocument(parsing: String($0)) }
        }
    }

    public enum Failure: Error, Equatable {
        case notStarted(errno: Int32)
        case noPipe(errno: Int32)
        /// It was killed then; what it had said until then.
        case deadline(output: String, messages: String)
        /// It ended without having printed it.
        case noSuchLine(output: String, messages: String)
    }

    /// Starts it, with nothing to read on its standard input. Messages go into a file of the folder.
    ///
    /// - Parameter environment: whole; nothing is inherited.
    public func start(
        _ arguments: [String], environment: [String: String], in folder: TemporaryFolder
    ) throws -> RunningProgram {
        let messages = folder.path + "/messages"
        let (output, writing) = try ProgramOutput.pipe()
        defer { close(writing) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, writing, STDOUT_FILENO)
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, messages, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        closeOtherDescriptors(by: &actions)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // A child of a concurrency thread would inherit its blocked signals.
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        // A signal that the shell behind the tests ignores would stay ignored, and could not be sent.
        var all = sigset_t()
        sigfillset(&all)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        var words = ([path] + arguments).map { strdup($0) } + [nil]
        var variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for pointer in words + variables { free(pointer) } }
        var process: pid_t = 0
        let result = posix_spawn(&process, path, &actions, &attributes, &words, &variables)
        guard result == 0 else { throw Failure.notStarted(errno: result) }
        return RunningProgram(process: process, standardOutput: output, folder: folder)
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

/// Descriptors that tests beside this one hold would count among those that a program may have, and a connection that a test
/// closes would stay open in it. One that is not open is no error (posix_spawn_file_actions_addclose(3p)).
func closeOtherDescriptors(by actions: inout posix_spawn_file_actions_t) {
    for descriptor in STDERR_FILENO + 1..<1024 { posix_spawn_file_actions_addclose(&actions, descriptor) }
}

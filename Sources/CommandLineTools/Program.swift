import Glibc

/// The version of the three commands (SemVer).
public let toolVersion = "0.1.0"

/// One verb of a command: its arguments are stored properties, checked before it runs.
public protocol Verb: Sendable {
    static var usage: Usage { get }
    init(_ arguments: ParsedArguments) throws(CommandFailure)
    /// Whether what it prints is all that it is for: where standard output is closed it does not begin.
    var isForItsOutput: Bool { get }
    func run(_ invocation: Invocation) async throws(CommandFailure) -> ExitStatus
    /// What the help says beyond the verb's own, of operands that stand beside `--help`. Files of this machine are read at
    /// most.
    static func helpLines(on operands: [String], environment: [String: String]) -> [String]
    /// What the last document of `--json` holds where the verb failed and printed none itself, of usage for example.
    ///
    /// - Parameter words: as they were typed after the verb; they may not have been understood.
    static func members(of failure: CommandFailure, after words: [String]) -> [(String, JSON)]
}

extension Verb {
    public var isForItsOutput: Bool { false }

    public static func helpLines(on operands: [String], environment: [String: String]) -> [String] { [] }

    public static func members(of failure: CommandFailure, after words: [String]) -> [(String, JSON)] {
        [("error", failure.json)]
    }
}

/// What a verb is given of the world.
public struct Invocation: Sendable {
    public let program: String
    public let verb: String
    public let console: Console
    public let environment: [String: String]
    /// `--json`.
    public let wantsJSON: Bool
    public let interruption: Interruption

    public init(
        program: String, verb: String, console: Console, environment: [String: String], wantsJSON: Bool,
        interruption: Interruption
    ) {
        self.program = program
        self.verb = verb
        self.console = console
        self.environment = environment
        self.wantsJSON = wantsJSON
        self.interruption = interruption
    }

    /// `espurr.<verb>/1`.
    public var schema: String { "espurr.\(verb)/1" }

    /// The same, with progress for people whatever is printed in the end.
    public var withoutJSON: Invocation {
        Invocation(
            program: program, verb: verb, console: console, environment: environment, wantsJSON: false,
            interruption: interruption)
    }

    /// How a verb ends that a signal stopped.
    public var cancellation: CommandFailure { (interruption.cause ?? .interrupt).failure }
}

/// A command with verbs.
public struct Program: Sendable {
    public let name: String
    public let summary: String
    public let verbs: [any Verb.Type]
    /// Words that are tried first by those who know other commands, and what does that here: `update`, `install`.
    let synonyms: [String: String]
    /// Every verb takes these.
    public let commonOptions: [Option]
    /// Candidates for what only this machine's memory knows, behind these operands. It reads files of its own at most.
    public typealias Memory =
        @Sendable (_ subject: Completion.Subject, _ operands: [String], _ environment: [String: String])
        -> [CompletionCandidate]
    let memory: Memory

    public init(
        name: String, summary: String, verbs: [any Verb.Type], synonyms: [String: String] = [:],
        commonOptions: [Option] = [.json, .quiet, .verbose, .help], memory: @escaping Memory = { _, _, _ in [] }
    ) {
        self.memory = memory
        self.synonyms = synonyms
        self.name = name
        self.summary = summary
        self.verbs = verbs
        self.commonOptions = commonOptions
    }

    /// Runs the process's own command line and ends the process. To be called on its first thread.
    ///
    /// A command that waits for nothing is done on this thread. The threads of Swift's concurrency start with the first
    /// wait: they take a tenth of the time that the whole of such a command does.
    public func main() -> Never {
        StandardDescriptors.keepPlaces()
        let process = ProcessWords.own
        let console = Console.standard(environment: process.environment)
        let interruption = Interruption()
        interruption.watch()
        Task.immediate { @concurrent in
            let status = await run(process, console: console, interruption: interruption)
            // All that was said is out. What libraries would do with their memory before its end is of no use to anybody.
            _exit(status.rawValue)
        }
        // Not `dispatchMain`, which lets this thread die of the signals that are watched for. Nothing uses the main queue.
        while true { pause() }
    }

    /// Runs the process's own command line, for a process that outlives it and ends itself.
    public func runOwnWords(interruption: Interruption) async -> ExitStatus {
        let process = ProcessWords.own
        return await run(
            process, console: .standard(environment: process.environment), interruption: interruption)
    }

    private func run(
        _ process: ProcessWords, console: Console, interruption: Interruption
    ) async -> ExitStatus {
        if let refusal = process.refusal {
            report(refusal, of: process.arguments, to: console)
            return refusal.status
        }
        return await run(
            process.arguments, console: console, environment: process.environment, interruption: interruption)
    }

    /// Runs one command line.
    public func run(
        _ words: [String], console: Console, environment: [String: String], interruption: Interruption
    ) async -> ExitStatus {
        let status: ExitStatus
        do throws(CommandFailure) {
            status = try await dispatch(words, console, environment, interruption)
        } catch {
            report(error, of: words, to: console)
            status = error.status
        }
        console.endProgress()
        guard console.hasFailedOutput, status == .done || status == .updateAvailable else { return status }
        guard !console.isReaderGone else { return .readerGone }
        console.complain("\(name): \(CommandFailure.outputClosed.cause)")
        return .outputNotWritable
    }

    private func dispatch(
        _ words: [String], _ console: Console, _ environment: [String: String], _ interruption: Interruption
    ) async throws(CommandFailure) -> ExitStatus {
        guard let first = words.first else {
            throw .usage("what to do is missing", remedy: "see “\(name) --help”")
        }
        switch first {
        case "--help", "-h",
            "help" where words.count == 1:
            console.print(help(width: console.output.width))
            return .done
        case "--version":
            console.print("\(name) \(toolVersion)")
            return .done
        case "--manual":
            console.print(manual())
            return .done
        case "--complete":
            let typed = Array(words.dropFirst(words.dropFirst().first == "--" ? 2 : 1))
            for line in completion(of: typed, environment: environment).lines { console.print(line) }
            return .done
        default: break
        }
        let verb = try verb(named: first == "help" ? words[1] : first)
        let usage = usage(of: verb)
        let parsed = try usage.parse(first == "help" ? [Option.help.name] : Array(words.dropFirst()), program: name)
        if parsed.has(.help) {
            let more = verb.helpLines(on: parsed.operands, environment: environment)
            console.print(usage.help(program: name, width: console.output.width, more: more))
            return .done
        }
        console.set(quiet: parsed.has(.quiet), verbose: parsed.has(.verbose))
        let invocation = Invocation(
            program: name, verb: usage.name, console: console, environment: environment, wantsJSON: parsed.has(.json),
            interruption: interruption)
        return try await run(verb, parsed, invocation)
    }

    private func run(
        _ verb: any Verb.Type, _ parsed: ParsedArguments, _ invocation: Invocation
    ) async throws(CommandFailure) -> ExitStatus {
        let value = try verb.init(parsed)
        guard invocation.console.isOutputOpen || !value.isForItsOutput else { throw .outputClosed }
        try OpenFiles.check(OpenFiles.needed)
        try FreeThreads.check(FreeThreads.needed)
        let task = Interruption.$current.withValue(invocation.interruption) {
            Task.immediate { @concurrent () -> Result<ExitStatus, CommandFailure> in
                do throws(CommandFailure) {
                    return .success(try await value.run(invocation))
                } catch {
                    return .failure(error)
                }
            }
        }
        invocation.interruption.onFirst { task.cancel() }
        return try await task.value.get()
    }

    private func verb(named written: String) throws(CommandFailure) -> any Verb.Type {
        for verb in verbs where verb.usage.name == written { return verb }
        // Closures, not key paths: 6.3.1 crashes on a key path through a metatype.
        let meant = synonyms[written].map(suggestion(of:))
        let near = meant ?? suggestion(for: written, among: verbs.map { $0.usage.name })
        throw .usage("no verb “\(written.printable)”", remedy: near ?? "see “\(name) --help”")
    }

    func usage(of verb: any Verb.Type) -> Usage {
        var usage = verb.usage
        usage.options += commonOptions.filter { option in !usage.options.contains { $0.name == option.name } }
        return usage
    }

    private func report(_ failure: CommandFailure, of words: [String], to console: Console) {
        console.complain("\(name): \(failure.cause.printable)")
        if let remedy = failure.remedy { console.complain("  → \(remedy.printable)") }
        guard words.prefix(while: { $0 != "--" }).contains("--json") else { return }
        guard let verb = verbs.first(where: { $0.usage.name == words.first }) else {
            return console.print(JSON.document("espurr.usage/1", [("error", failure.json)]))
        }
        let members = verb.members(of: failure, after: Array(words.dropFirst()))
        console.print(JSON.document("espurr.\(verb.usage.name)/1", members))
    }

    func help(width: Int) -> String {
        var lines = ["usage: \(name) VERB [OPTION…]", ""] + wrap(summary.capitalisedFirst + ".", width: width)
        lines += ["", "Verbs:"]
        lines += table(verbs.map { ($0.usage.name, $0.usage.summary) }, width: width)
        lines += [""]
        lines += wrap("“\(name) VERB --help” tells more; “\(name) --version” shows the version.", width: width)
        return lines.joined(separator: "\n")
    }
}

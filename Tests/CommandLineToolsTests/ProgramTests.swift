import CommandLineTools
import Synchronization
import Testing

@Suite struct ProgramTests {
    struct Greet: Verb {
        static let loud = Option("--loud", "shout")
        static let usage = Usage("greet", "say hello", operands: Operands("NAME", 1...1), options: [loud])
        let name: String
        let isLoud: Bool

        init(_ arguments: ParsedArguments) throws(CommandFailure) {
            guard arguments.operands[0] != "nobody" else { throw .usage("nobody is there") }
            name = arguments.operands[0]
            isLoud = arguments.has(Self.loud)
        }

        func run(_ invocation: Invocation) async throws(CommandFailure) -> CommandLineTools.ExitStatus {
            if name == "absent" {
                throw CommandFailure(.earsNotFound, code: "absent", cause: "not here", remedy: "call")
            }
            if invocation.wantsJSON {
                invocation.console.print(JSON.document(invocation.schema, [("name", .string(name))]))
            } else {
                invocation.console.print(isLoud ? "HELLO \(name)" : "hello \(name)")
            }
            return .done
        }
    }

    let program = Program(name: "demo", summary: "a demonstration", verbs: [Greet.self])

    func run(_ words: [String], on recorder: RecordingConsole = RecordingConsole()) async -> (
        CommandLineTools.ExitStatus, RecordingConsole
    ) {
        let status = await program.run(
            words, console: recorder.console, environment: [:], interruption: Interruption())
        return (status, recorder)
    }

    @Test func `a verb runs with its arguments`() async {
        let (status, recorder) = await run(["greet", "--loud", "ears"])
        #expect(status == .done)
        #expect(recorder.output == "HELLO ears\n")
        #expect(recorder.messages == "")
    }

    @Test func `where standard output is closed, a verb that shows does not begin, and one that acts does`() async {
        let recorder = RecordingConsole()
        let closed = Console(
            output: recorder.console.output, messages: recorder.console.messages, isOutputOpen: false,
            write: { stream, bytes in
                if stream == .messages { recorder.console.complain(String(decoding: bytes.dropLast(), as: UTF8.self)) }
                return stream == .messages
            })
        let program = Program(name: "demo", summary: "a demonstration", verbs: [Show.self, Greet.self])
        for words in [["show", "ears"], ["greet", "ears"]] {
            let status = await program.run(words, console: closed, environment: [:], interruption: Interruption())
            #expect(status == .outputNotWritable)
        }
        #expect(Self.shown.withLock { $0 } == 0)
        let message = "demo: standard output cannot be written\n"
        #expect(recorder.messages == message + message)
    }

    private static let shown = Mutex(0)

    private struct Show: Verb {
        static let usage = Usage("show", "show it", operands: Operands("NAME", 1...1))
        var isForItsOutput: Bool { true }
        init(_ arguments: ParsedArguments) throws(CommandFailure) {}
        func run(_ invocation: Invocation) async throws(CommandFailure) -> CommandLineTools.ExitStatus {
            ProgramTests.shown.withLock { $0 += 1 }
            return .done
        }
    }

    @Test func `nothing to do is usage`() async {
        let (status, recorder) = await run([])
        #expect(status == .usage)
        #expect(recorder.messages == "demo: what to do is missing\n  → see “demo --help”\n")
    }

    @Test func `an unknown verb is met with the nearest`() async {
        let (status, recorder) = await run(["gret", "x"])
        #expect(status == .usage)
        #expect(recorder.messages == "demo: no verb “gret”\n  → did you mean “greet”?\n")
    }

    @Test func `a failure is one line of cause and one of remedy, and JSON where asked`() async {
        let (status, recorder) = await run(["greet", "absent", "--json"])
        #expect(status == .earsNotFound)
        #expect(recorder.messages == "demo: not here\n  → call\n")
        let expected =
            #"{"schema":"espurr.greet/1","error":{"status":11,"code":"absent","cause":"not here","remedy":"call"}}"#
        #expect(recorder.output == expected + "\n")
    }

    @Test func `a verb that has records of its own has one of its failures too, of usage as well`() async {
        struct Many: Verb {
            static let usage = Usage("many", "do it to many", operands: Operands("NAME", 1...1))
            init(_ arguments: ParsedArguments) throws(CommandFailure) { throw .usage("not these") }
            func run(_ invocation: Invocation) async throws(CommandFailure) -> CommandLineTools.ExitStatus { .done }
            static func members(of failure: CommandFailure, after words: [String]) -> [(String, JSON)] {
                [("typed", .array(words.map(JSON.string))), ("error", failure.json)]
            }
        }
        for (words, cause) in [(["a", "--json"], "not these"), (["--no", "--json"], "no option “--no” for “many”")] {
            let recorder = RecordingConsole()
            let program = Program(name: "demo", summary: "x", verbs: [Many.self])
            let status = await program.run(
                ["many"] + words, console: recorder.console, environment: [:], interruption: Interruption())
            #expect(status == .usage)
            let typed = words.map { "\"\($0)\"" }.joined(separator: ",")
            #expect(recorder.output.hasPrefix(#"{"schema":"espurr.many/1","typed":[\#(typed)],"error":{"status":2,"#))
            #expect(recorder.output.contains(cause))
        }
    }

    @Test func `output that cannot be written is 16, though the work was done`() async {
        let (status, recorder) = await run(["greet", "ears"], on: RecordingConsole(acceptsOutput: false))
        #expect(status == .outputNotWritable)
        #expect(recorder.messages == "demo: standard output cannot be written\n")
    }

    @Test func `a reader that went away early is told nothing, and 141 says so`() async {
        let (status, recorder) = await run(
            ["greet", "ears"], on: RecordingConsole(acceptsOutput: false, isRead: false))
        #expect(status == .readerGone)
        #expect(recorder.messages == "")
        let (failed, _) = await run(["greet", "absent"], on: RecordingConsole(acceptsOutput: false, isRead: false))
        #expect(failed == .earsNotFound)
    }

    @Test(arguments: [["--help"], ["help"], ["greet", "--help"], ["help", "greet"], ["--version"], ["--manual"]])
    func `help and version are data and succeed`(words: [String]) async {
        let (status, recorder) = await run(words)
        #expect(status == .done)
        #expect(recorder.output.contains("demo") && recorder.messages == "")
    }

    @Test func `help of a verb lists its own and the common options`() async {
        let (_, recorder) = await run(["greet", "--help"])
        #expect(recorder.output.hasPrefix("usage: demo greet [OPTION…] NAME\n\nSay hello.\n"))
        for option in ["--loud", "--json", "--quiet", "--verbose", "--help"] {
            #expect(recorder.output.contains(option))
        }
    }

    @Test func `an unsuitable argument is told before anything runs`() async {
        let (status, recorder) = await run(["greet", "nobody"])
        #expect(status == .usage)
        #expect(recorder.output == "")
    }
}

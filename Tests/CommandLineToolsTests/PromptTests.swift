import Foundation
import Testing
import TestSupport

@testable import CommandLineTools

@Suite struct PromptTests {
    let pipe = Pipe()

    private func console(_ recorder: RecordingConsole, isTerminal: Bool = true) -> Console {
        recorder.console(
            input: Console.Input(descriptor: pipe.fileHandleForReading.fileDescriptor, isTerminal: isTerminal))
    }

    private func answer(_ text: String) throws { try pipe.fileHandleForWriting.write(contentsOf: Data(text.utf8)) }

    @Test(arguments: [("y\n", true), ("YES\n", true), ("n\n", false), ("\n", false), ("yesss\n", false)])
    func `only yes is yes`(text: String, isYes: Bool) async throws {
        let recorder = RecordingConsole()
        try answer(text)
        #expect(await console(recorder).confirm("Really?") == isYes)
        #expect(recorder.messages == "Really? [y/N]\n")
    }

    @Test func `an answer that comes in pieces is put together`() async throws {
        let console = console(RecordingConsole())
        try answer("ye")
        let question = Task { await console.confirm("Really?") }
        try answer("s\n")
        #expect(await question.value)
    }

    @Test func `the end of input and an endless line are no`() async throws {
        let console = console(RecordingConsole())
        try answer("y" + String(repeating: " ", count: Console.longestAnswer))
        #expect(await console.confirm("Really?") == false)
        try pipe.fileHandleForWriting.close()
        #expect(await console.confirm("Really?") == false)
    }

    @Test func `a cancelled question is answered no`() async {
        let console = console(RecordingConsole())
        let question = Task { await console.confirm("Really?") }
        question.cancel()
        #expect(await question.value == false)
    }

    @Test func `the seconds are counted down on a terminal, and nobody is late`() async throws {
        let recorder = RecordingConsole(isTerminal: true)
        let console = console(recorder)
        let clock = TestClock()
        let question = Task { await console.confirm("Really?", within: .seconds(2), clock: clock) }
        for _ in 0..<2 {
            try await clock.sleepers(1)
            clock.advance(by: .seconds(1))
        }
        #expect(await question.value == .late)
        #expect(recorder.messages == "Really? [y/N]\n 2 s left: \u{1B}7\r 1\u{1B}8\n")
    }

    @Test func `away from a terminal there is a limit and no countdown`() async throws {
        let recorder = RecordingConsole()
        let console = console(recorder)
        let clock = TestClock()
        let question = Task { await console.confirm("Really?", within: .seconds(30), clock: clock) }
        try await clock.sleepers(1)
        clock.advance(by: .seconds(30))
        #expect(await question.value == .late)
        #expect(recorder.messages == "Really? [y/N]\n\n")
    }

    @Test func `an answer in time counts`() async throws {
        let console = console(RecordingConsole())
        try answer("y\n")
        #expect(await console.confirm("Really?", within: .seconds(30), clock: TestClock()) == .yes)
    }

    private func failure(_ invocation: Invocation) async -> CommandFailure? {
        do throws(CommandFailure) {
            try await invocation.ask("Really?", isAnswered: false, by: "--yes")
            return nil
        } catch {
            return error
        }
    }

    private func invocation(_ interruption: Interruption = Interruption()) -> Invocation {
        Invocation(
            program: "demo", verb: "greet", console: console(RecordingConsole()), environment: [:], wantsJSON: false,
            interruption: interruption)
    }

    @Test(arguments: [("y\n", nil), ("n\n", 22), ("\n", 22)] as [(String, Int32?)])
    func `no has a status of its own, and not that of a signal`(text: String, status: Int32?) async throws {
        try answer(text)
        let failure = await failure(invocation())
        #expect(failure?.status.rawValue == status)
        #expect(failure?.code == (status == nil ? nil : "declined"))
    }

    @Test(arguments: [(Interruption.Cause.interrupt, 130), (.terminate, 143)] as [(Interruption.Cause, Int32)])
    func `a signal at the question is no answer: its own status`(cause: Interruption.Cause, status: Int32) async {
        let interruption = Interruption()
        let invocation = invocation(interruption)
        interruption.receive(cause)
        let question = Task { await failure(invocation) }
        question.cancel()
        #expect(await question.value?.status.rawValue == status)
    }

    @Test(arguments: [(false, true, nil), (true, false, "usage")] as [(Bool, Bool, String?)])
    func `nobody at the terminal needs the flag`(isAsked: Bool, isAnswered: Bool, code: String?) async throws {
        let invocation = Invocation(
            program: "demo", verb: "greet", console: console(RecordingConsole(), isTerminal: false), environment: [:],
            wantsJSON: false, interruption: Interruption())
        var failure: CommandFailure?
        do throws(CommandFailure) {
            try await invocation.ask("Really?", isAnswered: isAnswered, by: "--yes")
        } catch {
            failure = error
        }
        #expect(failure?.code == code)
        #expect((failure?.remedy == "--yes answers it") == isAsked)
    }
}

import Synchronization
import TestSupport
import Testing

@testable import CommandLineTools

@Suite struct InterruptionTests {
    @Test(
        arguments: [
            (Interruption.Cause.interrupt, 130, "cancelled"), (.terminate, 143, "terminated"),
            (.hangUp, 129, "hung up"),
        ] as [(Interruption.Cause, Int32, String)])
    func `the first signal stops in order, with its own status and in its own word`(
        cause: Interruption.Cause, status: Int32, word: String
    ) async {
        struct Wait: Verb {
            static let usage = Usage("wait", "wait")
            init(_ arguments: ParsedArguments) throws(CommandFailure) {}
            func run(_ invocation: Invocation) async throws(CommandFailure) -> CommandLineTools.ExitStatus {
                try? await Task.sleep(for: .seconds(3600))
                // In a task of its own too: what is brought to an end after a cancellation is.
                throw await Task { CommandFailure.interrupted }.value
            }
        }
        let recorder = RecordingConsole()
        let interruption = Interruption()
        interruption.receive(cause)
        let ended = await Program(name: "demo", summary: "x", verbs: [Wait.self]).run(
            ["wait"], console: recorder.console, environment: [:], interruption: interruption)
        #expect(ended.rawValue == status)
        #expect(ended.isInterruption)
        #expect(recorder.messages == "demo: \(word)\n")
    }

    @Test func `each action of the first signal is done, one that is added later at once`() {
        let (interruption, done) = (Interruption(), RecordingConsole())
        interruption.onFirst { done.console.print("one") }
        interruption.onFirst { done.console.print("two") }
        #expect(done.output == "")
        interruption.receive(.terminate)
        interruption.onFirst { done.console.print("three") }
        #expect(done.output == "one\ntwo\nthree\n")
    }

    @Test func `whoever waits for the second signal does nothing of what the first one has to do`() {
        let (interruption, done) = (Interruption(), RecordingConsole())
        interruption.onFirst { done.console.print("one") }
        let handedOver = Mutex<(@Sendable () -> Void)?>(nil)
        interruption.receive(.interrupt) { work in handedOver.withLock { $0 = work } }
        #expect(interruption.cause == .interrupt)
        #expect(done.output == "")
        handedOver.withLock { $0 }?()
        #expect(done.output == "one\n")
    }

    @Test func `without a signal there is none that did it`() {
        #expect(CommandFailure.ofSignal == nil)
        #expect(CommandFailure.interrupted.status == .cancelled)
        let others: [CommandLineTools.ExitStatus] = [.readerGone, .outcomeUnknown, .done]
        #expect(!others.contains { $0.isInterruption })
    }
}

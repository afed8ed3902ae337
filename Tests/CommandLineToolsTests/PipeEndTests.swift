import Glibc
import Testing
import TestSupport

@testable import CommandLineTools

@Suite(.timeLimit(.minutes(1))) struct PipeEndTests {
    private struct NoPipe: Error {}

    private func makePipe() throws -> (reading: Int32, writing: Int32) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw NoPipe() }
        // A program that another test starts meanwhile must not hold the reading end.
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }

    @Test func `a reader that goes away is seen without a write`() async throws {
        let (reading, writing) = try makePipe()
        defer { close(writing) }
        let end = PipeEnd(writing)
        let gone = Gate()
        end.watch { gone.open() }
        #expect(!end.isClosed)
        close(reading)
        await gone.opened()
        #expect(end.isClosed)
    }

    @Test func `a terminal that goes away is seen without a signal`() async throws {
        // TIOCSPTLCK and TIOCGPTN (ioctl_tty(2)), which the Glibc module lacks.
        let (setLock, getNumber): (UInt, UInt) = (0x4004_5431, 0x8004_5430)
        let master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        var (unlocked, number): (Int32, UInt32) = (0, 0)
        try #require(ioctl(master, setLock, &unlocked) == 0 && ioctl(master, getNumber, &number) == 0)
        let terminal = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY | O_CLOEXEC)
        try #require(terminal >= 0)
        defer { close(terminal) }
        let end = PipeEnd(terminal)
        let gone = Gate()
        end.watch { gone.open() }
        #expect(!end.isClosed)
        close(master)
        await gone.opened()
        #expect(end.isClosed)
    }

    @Test func `a verb that only shows ends with 141 once nobody reads it, and is left alone by a reader`() async throws
    {
        let (reading, writing) = try makePipe()
        defer { close(writing) }
        let end = PipeEnd(writing)
        let style = Console.Style(isTerminal: false, hasColour: false, width: 80)
        let console = Console(
            output: style, messages: style, write: { _, _ in true }, readerHasGone: { end.isClosed },
            watchReader: end.watch)
        let (interruption, stopped) = (Interruption(), Gate())
        let invocation = Invocation(
            program: "espurr-ctl", verb: "status", console: console, environment: [:], wantsJSON: false,
            interruption: interruption)
        // What a signal does beside is done as well: a daemon that hangs is waited for no longer.
        interruption.onFirst { stopped.open() }
        #expect(try await invocation.whileRead { .done } == .done)
        let clock = TestClock()
        let watching = Task {
            try await invocation.whileRead { () throws(CommandFailure) in
                do { try await clock.sleep(for: .seconds(3600)) } catch { throw invocation.cancellation }
                return .done
            }
        }
        try await clock.sleepers(1)
        close(reading)
        #expect(try await watching.value == .readerGone)
        await stopped.opened()
    }

    @Test func `a verb that only shows ends as cancelled by a signal, whoever reads it`() async throws {
        let console = Console(
            output: .init(isTerminal: false, hasColour: false, width: 80),
            messages: .init(isTerminal: false, hasColour: false, width: 80), write: { _, _ in true })
        let invocation = Invocation(
            program: "espurr-ctl", verb: "status", console: console, environment: [:], wantsJSON: false,
            interruption: Interruption())
        let clock = TestClock()
        let watching = Task {
            try await invocation.whileRead { () throws(CommandFailure) in
                do { try await clock.sleep(for: .seconds(3600)) } catch { throw invocation.cancellation }
                return .done
            }
        }
        try await clock.sleepers(1)
        watching.cancel()
        let failure = await #expect(throws: CommandFailure.self) { try await watching.value }
        #expect(failure?.status == .cancelled)
    }
}

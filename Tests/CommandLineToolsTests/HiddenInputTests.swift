import Glibc
import Testing

@testable import CommandLineTools

/// What is typed at a terminal, a pseudo terminal here, and who sees it.
@Suite(.serialized) struct HiddenInputTests {
    @Test func `it is not shown, until it is restored`() throws {
        let terminal = try Terminal()
        let input = HiddenInput(terminal.descriptor)
        #expect(input.hide())
        #expect(!terminal.shows)
        input.restore()
        #expect(terminal.shows)
    }

    @Test func `a job that goes on hides it again, whatever the shell did to the terminal`() throws {
        let terminal = try Terminal()
        let input = HiddenInput(terminal.descriptor)
        #expect(input.hide())
        terminal.show()
        goOn()
        #expect(!terminal.shows)
        input.restore()
        goOn()
        #expect(terminal.shows)
    }

    /// What the shell sends a job that goes on. Threads that run tasks block it; this one takes it now.
    private func goOn() {
        var (set, before) = (sigset_t(), sigset_t())
        sigemptyset(&set)
        sigaddset(&set, SIGCONT)
        pthread_sigmask(SIG_UNBLOCK, &set, &before)
        raise(SIGCONT)
        pthread_sigmask(SIG_SETMASK, &before, nil)
    }

    private final class Terminal {
        let descriptor: Int32
        private let other: Int32

        init() throws {
            var (other, own): (Int32, Int32) = (-1, -1)
            try #require(openpty(&other, &own, nil, nil, nil) == 0)
            (self.other, descriptor) = (other, own)
        }

        deinit {
            close(descriptor)
            close(other)
        }

        var shows: Bool { modes.c_lflag & tcflag_t(ECHO) != 0 }

        func show() {
            var modes = modes
            modes.c_lflag |= tcflag_t(ECHO)
            tcsetattr(descriptor, TCSANOW, &modes)
        }

        private var modes: termios {
            var modes = termios()
            tcgetattr(descriptor, &modes)
            return modes
        }
    }
}

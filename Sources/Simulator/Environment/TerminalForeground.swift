import Glibc

/// Whose job the terminal is: a command in the foreground gets Ctrl-C and Ctrl-Z itself, and only it.
struct TerminalForeground: Sendable {
    private let terminal = STDIN_FILENO
    private let isOurs: Bool

    /// Whether there is something to hand over: standard input is a terminal, and this process's group has it.
    init() { isOurs = isatty(STDIN_FILENO) == 1 && tcgetpgrp(STDIN_FILENO) == getpgrp() }

    func handOver(to group: pid_t) { if isOurs { tcsetpgrp(terminal, group) } }

    /// A group in the background that takes the terminal is stopped, unless it ignores that signal.
    func takeBack() {
        guard isOurs else { return }
        let old = signal(SIGTTOU, SIG_IGN)
        tcsetpgrp(terminal, getpgrp())
        signal(SIGTTOU, old)
    }

    /// The command was stopped: this process stops as well, and goes on with it.
    func follow(_ group: pid_t, stoppedBy number: Int32) {
        guard isOurs else { return }
        // Before the terminal was handed over, the command may have been stopped for touching it.
        if number != SIGTTIN, number != SIGTTOU {
            takeBack()
            raise(SIGSTOP)
        }
        handOver(to: group)
        kill(-group, SIGCONT)
    }
}

import Glibc
import ProcessShim
import Synchronization

/// A terminal that does not show what is typed, until it is restored; while this process is stopped it does.
final class HiddenInput: Sendable {
    private let descriptor: Int32
    /// As it was before.
    private let before = Mutex<termios?>(nil)

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    /// What was typed before the question is dropped.
    ///
    /// - Returns: false where the terminal does not do it.
    func hide() -> Bool {
        before.withLock { before in
            var modes = termios()
            guard tcgetattr(descriptor, &modes) == 0 else { return false }
            let original = modes
            modes.c_lflag &= ~tcflag_t(ECHO)
            // The line's end is shown, so that the next question begins a line.
            modes.c_lflag |= tcflag_t(ECHONL)
            guard tcsetattr(descriptor, TCSAFLUSH, &modes) == 0 else { return false }
            before = original
            var shown = original
            hidden_terminal_begin(descriptor, &shown, &modes)
            return true
        }
    }

    func restore() {
        before.withLock { before in
            guard var modes = before else { return }
            hidden_terminal_end()
            // What is typed ahead of the answer, or behind it, is not for the shell to show.
            tcsetattr(descriptor, TCSAFLUSH, &modes)
            before = nil
        }
    }
}

import Glibc

/// Questions to the person at the terminal.
extension Console {
    /// Whether a question can be asked: standard input is a terminal.
    public static var canAsk: Bool { isatty(STDIN_FILENO) == 1 }

    /// Asks a yes-or-no question on standard error; anything but `y` or `yes` is no, and so is the end of input.
    ///
    /// Ends with false as soon as the task is cancelled.
    public func confirm(_ question: String) async -> Bool {
        complain(question + " [y/N]")
        let answer = await readLine()
        return ["y", "yes"].contains(answer?.lowercased())
    }

    /// One line from standard input, at most 1,024 bytes; nil at its end, or when the task is cancelled.
    func readLine() async -> String? {
        var line: [UInt8] = []
        while line.count < 1024 {
            guard !Task.isCancelled else { return nil }
            var poller = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
            // Never blocks a pool thread: asks what is there, and gives way where nothing is.
            guard poll(&poller, 1, 0) > 0 else {
                try? await Task.sleep(for: .milliseconds(20))
                continue
            }
            var byte: UInt8 = 0
            guard read(STDIN_FILENO, &byte, 1) == 1 else { return nil }
            if byte == 0x0A { return String(decoding: line, as: UTF8.self) }
            line.append(byte)
        }
        return nil
    }
}

extension Invocation {
    /// Asks before something that cannot be undone, unless a flag answered already.
    ///
    /// - Parameter flag: the one that answers in scripts.
    /// - Throws: ``ExitStatus/usage`` where nobody can be asked; ``ExitStatus/cancelled`` where the answer is no.
    public func ask(_ question: String, isAnswered: Bool, by flag: String) async throws(CommandFailure) {
        guard !isAnswered else { return }
        guard Console.canAsk else {
            throw .usage("nobody is at the terminal to answer “\(question)”", remedy: "\(flag) answers it")
        }
        guard await console.confirm(question) else {
            throw CommandFailure(.cancelled, code: "declined", cause: "nothing was done")
        }
    }
}

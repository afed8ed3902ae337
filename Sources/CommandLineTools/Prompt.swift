import Glibc

/// What a person answered in time.
public enum TimedAnswer: Hashable, Sendable {
    case yes, no
    /// Nobody answered within the limit.
    case late
}

/// Questions to the person at the terminal.
extension Console {
    /// Whether this process's standard input is a terminal.
    public static var canAsk: Bool { isatty(STDIN_FILENO) == 1 }

    /// Bytes of an answer; what is longer is none.
    static let longestAnswer = 1024

    /// Asks a yes-or-no question on standard error; anything but `y` or `yes` is no, and so is the end of input.
    ///
    /// What was typed before the question does not answer it. Ends with false as soon as the task is cancelled.
    public func confirm(_ question: String) async -> Bool {
        discardTypedAhead()
        complain(question + " [y/N]")
        return await readAnswer() == .yes
    }

    /// Asks as ``confirm(_:)`` does; on a terminal the seconds that are left are counted down.
    public func confirm(_ question: String, within limit: Duration, clock: any Clock<Duration>) async -> TimedAnswer {
        discardTypedAhead()
        complain(question + " [y/N]")
        let answer = await withTaskGroup(of: TimedAnswer.self) { group in
            group.addTask { await self.readAnswer() }
            group.addTask { await self.countDown(limit, on: clock) }
            let first = await group.next() ?? .no
            group.cancelAll()
            return first
        }
        if answer == .late { note("") }
        return answer
    }

    private func readAnswer() async -> TimedAnswer {
        ["y", "yes"].contains(await readLine()?.lowercased()) ? .yes : .no
    }

    private func countDown(_ limit: Duration, on clock: any Clock<Duration>) async -> TimedAnswer {
        do {
            guard messages.isTerminal else {
                try await clock.sleep(for: limit)
                return .late
            }
            let seconds = Int(limit.components.seconds)
            for left in stride(from: seconds, to: 0, by: -1) {
                let number = String(repeating: " ", count: left < 10 ? 1 : 0) + "\(left)"
                // The cursor goes back to what the person is typing (DECSC, DECRC).
                steer(left == seconds ? "\(number) s left: " : "\u{1B}7\r\(number)\u{1B}8")
                try await clock.sleep(for: .seconds(1))
            }
            return .late
        } catch {
            return .no
        }
    }

    /// One line from standard input; nil at its end, where it is too long, or when the task is cancelled.
    func readLine() async -> String? {
        var line: [UInt8] = []
        while line.count < Self.longestAnswer, await waitUntilReadable(input.descriptor) {
            var piece = [UInt8](repeating: 0, count: Self.longestAnswer - line.count)
            let count = read(input.descriptor, &piece, piece.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return nil }
            line += piece.prefix(count)
            if let end = line.firstIndex(of: 0x0A) { return String(decoding: line[..<end], as: UTF8.self) }
        }
        return nil
    }

    private func discardTypedAhead() {
        if input.isTerminal { tcflush(input.descriptor, TCIFLUSH) }
    }
}

extension Invocation {
    /// Asks before something that cannot be undone, unless a flag answered already.
    ///
    /// - Parameter flag: the one that answers in scripts.
    /// - Throws: ``ExitStatus/usage`` where nobody can be asked; ``ExitStatus/policyRefused`` where the answer is no; the
    ///   signal's where one ended the question.
    public func ask(_ question: String, isAnswered: Bool, by flag: String) async throws(CommandFailure) {
        guard !isAnswered else { return }
        guard console.input.isTerminal else {
            throw .usage("nobody is at the terminal to answer “\(question)”", remedy: "\(flag) answers it")
        }
        guard await !console.confirm(question) else { return }
        guard !Task.isCancelled else { throw cancellation }
        throw CommandFailure(.policyRefused, code: "declined", cause: "the answer was no: nothing was done")
    }
}

import Glibc
import Synchronization

/// Standard output and standard error, and what is known of the terminal behind them.
///
/// Data goes to standard output, progress and messages to standard error.
public final class Console: Sendable {
    public struct Style: Sendable {
        public var isTerminal: Bool
        /// False for a pipe, `NO_COLOR`, `TERM=dumb`.
        public var hasColour: Bool
        /// Columns.
        public var width: Int
        /// Whether the terminal, or `COLUMNS`, says ``width``.
        public var isWidthKnown = true

        public init(isTerminal: Bool, hasColour: Bool, width: Int) {
            self.isTerminal = isTerminal
            self.hasColour = hasColour
            self.width = width
        }

        /// As a terminal's environment says it: `TERM` missing or `dumb`, `NO_COLOR` (no-color.org), `COLUMNS`.
        ///
        /// - Parameter columns: what the terminal itself says; `COLUMNS` wins.
        public init(isTerminal: Bool, columns: Int?, environment: [String: String]) {
            let canSteer = isTerminal && !["", "dumb"].contains(environment["TERM"] ?? "")
            let noColour = environment["NO_COLOR"].map { !$0.isEmpty } ?? false
            let wanted = environment["COLUMNS"].flatMap(Int.init)
            let width = [wanted, columns].compactMap { $0 }.first { Self.widths.contains($0) }
            self.init(isTerminal: canSteer, hasColour: canSteer && !noColour, width: width ?? 80)
            isWidthKnown = width != nil
        }

        /// Columns that lines are made to fit; nil where they stay whole, for scripts read them.
        public var lineWidth: Int? { isTerminal && isWidthKnown ? width : nil }

        /// Columns that can be written in.
        private static let widths = 20...1000
    }

    /// Where answers come from.
    public struct Input: Hashable, Sendable {
        public var descriptor: Int32
        /// Only then is there a person to ask.
        public var isTerminal: Bool

        public init(descriptor: Int32, isTerminal: Bool) {
            self.descriptor = descriptor
            self.isTerminal = isTerminal
        }

        public static var standard: Input { Input(descriptor: STDIN_FILENO, isTerminal: Console.canAsk) }
    }

    public let output: Style
    public let messages: Style
    public let input: Input
    /// False where it is known before the first line that standard output cannot be written: it is closed.
    public let isOutputOpen: Bool
    private let write: @Sendable (Stream, [UInt8]) -> Bool
    private let readerHasGone: @Sendable () -> Bool
    private let watchReader: @Sendable (@escaping @Sendable () -> Void) -> Void
    private let state = Mutex(State())

    public enum Stream: Sendable {
        case output, messages
    }

    private struct State {
        var isQuiet = false
        var isVerbose = false
        var outputFailed = false
        /// Lines of progress that stand unfinished on the terminal.
        var pendingProgress = 0
    }

    /// - Parameters:
    ///   - write: writes all bytes, false where it could not.
    ///   - readerHasGone: whether it could not because nobody reads standard output any more.
    ///   - watchReader: takes what is to be called once nobody does, written or not.
    public init(
        output: Style, messages: Style, input: Input = .standard, isOutputOpen: Bool = true,
        write: @escaping @Sendable (Stream, [UInt8]) -> Bool,
        readerHasGone: @escaping @Sendable () -> Bool = { false },
        watchReader: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void = { _ in }
    ) {
        self.isOutputOpen = isOutputOpen
        self.readerHasGone = readerHasGone
        self.watchReader = watchReader
        self.output = output
        self.messages = messages
        self.input = input
        self.write = write
    }

    /// The process's own streams. SIGPIPE is ignored from here on: a closed pipe is an error to be told, not a death.
    public static func standard(environment: [String: String]) -> Console {
        signal(SIGPIPE, SIG_IGN)
        let pipe = PipeEnd(STDOUT_FILENO)
        return Console(
            output: style(of: STDOUT_FILENO, environment), messages: style(of: STDERR_FILENO, environment),
            isOutputOpen: StandardDescriptors.isWritable(STDOUT_FILENO),
            write: { stream, bytes in
                guard stream == .output else { return writeAll(bytes, to: STDERR_FILENO) == 0 }
                let error = writeAll(bytes, to: STDOUT_FILENO)
                if error == EPIPE { pipe.close() }
                return error == 0
            }, readerHasGone: { pipe.isClosed }, watchReader: pipe.watch)
    }

    public func set(quiet: Bool, verbose: Bool) {
        state.withLock {
            $0.isQuiet = quiet
            $0.isVerbose = verbose
        }
    }

    /// A line of data.
    public func print(_ line: String) {
        state.withLock { state in
            clearProgress(&state)
            if !write(.output, Array((line + "\n").utf8)) { state.outputFailed = true }
        }
    }

    public func print(_ document: JSON) { print(document.text) }

    /// A line of data for people to read: on a terminal it is wrapped at words.
    public func show(_ line: String) {
        for line in line.lines(within: output.lineWidth) { print(line) }
    }

    /// A message for people, wrapped as ``show(_:)`` does; `--quiet` leaves it out.
    public func note(_ line: String) {
        state.withLock { state in
            guard !state.isQuiet else { return }
            clearProgress(&state)
            say(line)
        }
    }

    /// A message that `--verbose` adds.
    public func detail(_ line: @autoclosure () -> String) {
        guard state.withLock({ $0.isVerbose }) else { return }
        note(line())
    }

    /// An error: always said, wrapped as ``show(_:)`` does.
    public func complain(_ line: String) {
        state.withLock { state in
            clearProgress(&state)
            say(line)
        }
    }

    private func say(_ line: String) {
        let text = line.lines(within: messages.lineWidth).map { $0 + "\n" }.joined()
        _ = write(.messages, Array(text.utf8))
    }

    /// A line that the next one replaces, on a terminal; elsewhere a line like any other.
    public func progress(_ line: String) { progress([line]) }

    /// Lines that the next ones replace together.
    public func progress(_ lines: [String]) {
        state.withLock { state in
            guard !state.isQuiet, !lines.isEmpty else { return }
            guard messages.isTerminal else {
                _ = write(.messages, Array(lines.map { $0 + "\n" }.joined().utf8))
                return
            }
            let text = lines.map { $0.prefix(max(messages.width - 1, 10)) }.joined(separator: "\n")
            _ = write(.messages, Array((Self.erasing(max(state.pendingProgress, 1)) + text).utf8))
            state.pendingProgress = lines.count
        }
    }

    /// Back to the beginning of the first of the lines that end where the cursor is, with nothing left of them.
    private static func erasing(_ lines: Int) -> String {
        "\r\u{1B}[K" + String(repeating: "\u{1B}[A\u{1B}[K", count: lines - 1)
    }

    /// Part of a line on the terminal of standard error, as it is.
    func steer(_ text: String) {
        state.withLock { state in
            clearProgress(&state)
            _ = write(.messages, Array(text.utf8))
        }
    }

    /// Takes an unfinished progress line off the terminal.
    public func endProgress() { state.withLock { clearProgress(&$0) } }

    /// True once standard output could not be written: the command ends with 16.
    public var hasFailedOutput: Bool { state.withLock { $0.outputFailed } }

    /// True once whoever read standard output has closed it, as “head” does: no failure, and nothing to tell.
    public var isReaderGone: Bool { readerHasGone() }

    /// Calls `action`, once, when nobody reads standard output any more, whether or not there is anything to write. A
    /// terminal and a file have no such reader.
    func onReaderGone(_ action: @escaping @Sendable () -> Void) { watchReader(action) }

    private func clearProgress(_ state: inout State) {
        guard state.pendingProgress > 0 else { return }
        _ = write(.messages, Array(Self.erasing(state.pendingProgress).utf8))
        state.pendingProgress = 0
    }
}

private func style(of descriptor: Int32, _ environment: [String: String]) -> Console.Style {
    let isTerminal = isatty(descriptor) == 1
    var size = winsize()
    let isMeasured = isTerminal && ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0
    return Console.Style(
        isTerminal: isTerminal, columns: isMeasured ? Int(size.ws_col) : nil, environment: environment)
}

/// - Returns: 0, or the `errno` of what could not be written.
private func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Int32 {
    var rest = bytes[...]
    while !rest.isEmpty {
        let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
        if count < 0, errno == EINTR { continue }
        // Who started this command may have made the descriptor non-blocking: a reader that is slow is waited for anyway.
        if count < 0, errno == EAGAIN {
            var room = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            _ = poll(&room, 1, -1)
            continue
        }
        guard count > 0 else { return count < 0 ? errno : EIO }
        rest = rest.dropFirst(count)
    }
    return 0
}

extension Unicode.Scalar {
    /// Control characters (C0, DEL, C1), line and paragraph separators, and what turns the direction of text.
    var steersTerminal: Bool {
        switch value {
        case 0..<0x20, 0x7F...0x9F, 0x061C, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}

extension String {
    /// The text with everything that could steer a terminal shown as its code: what comes from a device or a file
    /// is never printed otherwise.
    public var printable: String {
        unicodeScalars.reduce(into: "") { text, scalar in
            if scalar.steersTerminal {
                text += "\\u{" + String(scalar.value, radix: 16) + "}"
            } else {
                text.unicodeScalars.append(scalar)
            }
        }
    }
}

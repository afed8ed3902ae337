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

        public init(isTerminal: Bool, hasColour: Bool, width: Int) {
            self.isTerminal = isTerminal
            self.hasColour = hasColour
            self.width = width
        }
    }

    public let output: Style
    public let messages: Style
    private let write: @Sendable (Stream, [UInt8]) -> Bool
    private let state = Mutex(State())

    public enum Stream: Sendable {
        case output, messages
    }

    private struct State {
        var isQuiet = false
        var isVerbose = false
        var outputFailed = false
        /// Columns of a progress line that stands unfinished on the terminal.
        var pendingProgress = false
    }

    /// - Parameter write: writes all bytes, false where it could not.
    public init(output: Style, messages: Style, write: @escaping @Sendable (Stream, [UInt8]) -> Bool) {
        self.output = output
        self.messages = messages
        self.write = write
    }

    /// The process's own streams. SIGPIPE is ignored from here on: a closed pipe is an error to be told, not a death.
    public static func standard(environment: [String: String]) -> Console {
        signal(SIGPIPE, SIG_IGN)
        return Console(
            output: style(of: STDOUT_FILENO, environment), messages: style(of: STDERR_FILENO, environment),
            write: { stream, bytes in writeAll(bytes, to: stream == .output ? STDOUT_FILENO : STDERR_FILENO) })
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

    /// A message for people; `--quiet` leaves it out.
    public func note(_ line: String) {
        state.withLock { state in
            guard !state.isQuiet else { return }
            clearProgress(&state)
            _ = write(.messages, Array((line + "\n").utf8))
        }
    }

    /// A message that `--verbose` adds.
    public func detail(_ line: @autoclosure () -> String) {
        guard state.withLock({ $0.isVerbose }) else { return }
        note(line())
    }

    /// An error: always said.
    public func complain(_ line: String) {
        state.withLock { state in
            clearProgress(&state)
            _ = write(.messages, Array((line + "\n").utf8))
        }
    }

    /// A line that the next one replaces, on a terminal; elsewhere a line like any other.
    public func progress(_ line: String) {
        state.withLock { state in
            guard !state.isQuiet else { return }
            guard messages.isTerminal else {
                _ = write(.messages, Array((line + "\n").utf8))
                return
            }
            let text = String(line.prefix(max(messages.width - 1, 10)))
            _ = write(.messages, Array(("\r\u{1B}[K" + text).utf8))
            state.pendingProgress = true
        }
    }

    /// True once standard output could not be written: the command ends with 16.
    public var hasFailedOutput: Bool { state.withLock { $0.outputFailed } }

    private func clearProgress(_ state: inout State) {
        guard state.pendingProgress else { return }
        state.pendingProgress = false
        _ = write(.messages, Array("\r\u{1B}[K".utf8))
    }
}

private func style(of descriptor: Int32, _ environment: [String: String]) -> Console.Style {
    let isTerminal = isatty(descriptor) == 1
    let isDumb = environment["TERM"] == "dumb"
    let noColour = environment["NO_COLOR"].map { !$0.isEmpty } ?? false
    var width = environment["COLUMNS"].flatMap(Int.init).flatMap { (20...1000).contains($0) ? $0 : nil }
    if width == nil, isTerminal {
        var size = winsize()
        if ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 { width = Int(size.ws_col) }
    }
    return Console.Style(
        isTerminal: isTerminal && !isDumb, hasColour: isTerminal && !isDumb && !noColour, width: width ?? 80)
}

private func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
        let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return false }
        rest = rest.dropFirst(count)
    }
    return true
}

extension String {
    /// The text with everything that could steer a terminal shown as its code: what comes from a device or a file
    /// is never printed otherwise.
    public var printable: String {
        unicodeScalars.reduce(into: "") { text, scalar in
            let isControl =
                scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
                || (0x202A...0x202E).contains(scalar.value) || (0x2066...0x2069).contains(scalar.value)
            if isControl {
                text += "\\u{" + String(scalar.value, radix: 16) + "}"
            } else {
                text.unicodeScalars.append(scalar)
            }
        }
    }
}

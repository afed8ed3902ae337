import CommandLineTools
import Synchronization

/// A console whose streams are kept.
final class RecordingConsole: Sendable {
    private let written = Mutex<(output: String, messages: String)>(("", ""))
    let isTerminal: Bool
    let acceptsOutput: Bool
    /// Whether somebody reads standard output still.
    let isRead: Bool

    init(isTerminal: Bool = false, acceptsOutput: Bool = true, isRead: Bool = true) {
        self.isRead = isRead
        self.isTerminal = isTerminal
        self.acceptsOutput = acceptsOutput
    }

    var output: String { written.withLock { $0.output } }
    var messages: String { written.withLock { $0.messages } }

    var console: Console { console(input: Console.Input(descriptor: -1, isTerminal: false)) }

    func console(input: Console.Input) -> Console {
        let style = Console.Style(isTerminal: isTerminal, hasColour: false, width: 80)
        let write: @Sendable (Console.Stream, [UInt8]) -> Bool = { [self] stream, bytes in
            written.withLock {
                switch stream {
                case .output: $0.output += acceptsOutput ? String(decoding: bytes, as: UTF8.self) : ""
                case .messages: $0.messages += String(decoding: bytes, as: UTF8.self)
                }
            }
            return stream == .messages || acceptsOutput
        }
        return Console(
            output: style, messages: style, input: input, write: write, readerHasGone: { [isRead] in !isRead })
    }
}

import CommandLineTools
import Synchronization

/// Where an installation is told: to people on a console, or as records.
struct InstallationVoice: Sendable {
    /// Whether lines for people replace one another.
    let isTerminal: Bool
    private let records: RecordSequence
    /// What every record says of the ears that it belongs to.
    private let about: [(String, JSON)]
    /// A line that the next one replaces.
    let progress: @Sendable (String) -> Void
    let note: @Sendable (String) -> Void

    init(
        isTerminal: Bool, records: RecordSequence, about: [(String, JSON)],
        progress: @escaping @Sendable (String) -> Void, note: @escaping @Sendable (String) -> Void
    ) {
        self.isTerminal = isTerminal
        self.records = records
        self.about = about
        self.progress = progress
        self.note = note
    }

    /// For the one installation of a command.
    init(_ invocation: Invocation) {
        let console = invocation.console
        self.init(
            isTerminal: console.messages.isTerminal && !invocation.wantsJSON, records: RecordSequence(invocation),
            about: [], progress: { console.progress($0) }, note: { console.note($0) })
    }

    func print(_ event: String, _ members: [(String, JSON)]) { records.print(event, about + members) }
}

/// The records of a command as JSON Lines, numbered from 1 in the order in which they are printed.
final class RecordSequence: Sendable {
    private let invocation: Invocation
    private let last = Mutex<Int64>(0)

    init(_ invocation: Invocation) { self.invocation = invocation }

    func print(_ event: String, _ members: [(String, JSON)]) {
        last.withLock { last in
            last += 1
            invocation.console.print(JSON.document(invocation.schema, Self.head(last, event) + members))
        }
    }

    static func head(_ number: Int64, _ event: String) -> [(String, JSON)] {
        [("sequence", .integer(number)), ("event", .string(event))]
    }
}

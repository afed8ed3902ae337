import Bluetooth
import CommandLineTools
import Synchronization

extension EarsFinder {
    /// Scans for ears until some that are wanted are there, and says meanwhile which others are: on a terminal in a line
    /// that moves, with `--verbose` a line each.
    func look(
        on adapter: AdapterName, for time: Duration, until isThere: @escaping @Sendable ([Sighting]) -> Bool
    ) async throws(CommandFailure) -> [Sighting] {
        let told = OthersTold(console)
        defer { console.endProgress() }
        return try await scan(on: adapter, for: time) { _, present in
            if isThere(present) { return true }
            told.tell(present.filter { $0.isHeard || $0.isConnected })
            return false
        }
    }
}

/// Which ears were told of, while others are looked for.
private final class OthersTold: Sendable {
    private let console: Console
    private let state = Mutex((addresses: Set<BluetoothAddress>(), line: ""))

    init(_ console: Console) { self.console = console }

    func tell(_ others: [Sighting]) {
        let line =
            others.isEmpty
            ? "" : "there: " + others.map { $0.name?.printable ?? "\($0.address)" }.joined(separator: ", ")
        let (new, isNewLine) = state.withLock { state in
            let new = others.filter { state.addresses.insert($0.address).inserted }
            defer { state.line = line }
            return (new, line != state.line)
        }
        for ears in new { console.detail("there: \(ears.inWords)") }
        guard console.messages.isTerminal, isNewLine else { return }
        if line.isEmpty { console.endProgress() } else { console.progress(line) }
    }
}

extension EarsName {
    /// `did you mean “espurr-7A3F”?`, where ears in sight go by what is nearly this; nil where none do.
    func suggestion(among seen: [Sighting]) -> String? {
        let candidates = seen.flatMap { [$0.name?.printable, $0.address.description].compactMap(\.self) }
        return CommandLineTools.suggestion(for: description, among: candidates)
    }

    /// The same of a name; an address that is nearly another one's is no slip of the hand, but other ears.
    func suggestion(amongNamesOf known: [Sighting]) -> String? {
        guard case .name(let name) = self else { return nil }
        return CommandLineTools.suggestion(for: name, among: known.compactMap { $0.name?.printable })
    }
}

import Catalogue
import CommandLineTools

/// What a terminal shows while a catalogue's server is asked, at once, as while ears are connected with: what for, and how
/// long that may take at most.
struct CatalogueWait: Sendable {
    /// False where no request leaves this machine: offline, or from a folder.
    let isAsked: Bool
    /// Of every client's way to the server.
    var limits = CatalogueLimits()

    /// - Parameter console: nil where something else is shown meanwhile.
    func shown<Value>(
        on console: Console?, _ what: String, _ work: () async throws(CatalogueError) -> Value
    ) async throws(CatalogueError) -> Value {
        guard isAsked, let console, console.messages.isTerminal else { return try await work() }
        console.progress(line(what))
        defer { console.endProgress() }
        return try await work()
    }

    /// In whole seconds, one that has begun counting as whole: less would be less than the bound.
    private func line(_ what: String) -> String {
        let (seconds, rest) = limits.longestRefresh.components
        return "asking for \(what), at most \(Duration.seconds(rest > 0 ? seconds + 1 : seconds).inWords)…"
    }
}

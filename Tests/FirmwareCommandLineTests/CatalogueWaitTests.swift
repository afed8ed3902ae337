import Catalogue
import CommandLineTools
import Synchronization
import Testing

@testable import FirmwareCommandLine

/// What stands on the terminal while a catalogue's server is asked.
@Suite struct CatalogueWaitTests {
    private let said = Said()

    private final class Said: Sendable {
        let text = Mutex("")
        var all: String { text.withLock(\.self) }
    }

    private func console(isTerminal: Bool, isQuiet: Bool = false) -> Console {
        let style = Console.Style(isTerminal: isTerminal, hasColour: false, width: 80)
        let input = Console.Input(descriptor: -1, isTerminal: false)
        let console = Console(output: style, messages: style, input: input) { [said] _, bytes in
            said.text.withLock { $0 += String(decoding: bytes, as: UTF8.self) }
            return true
        }
        console.set(quiet: isQuiet, verbose: false)
        return console
    }

    @Test func `a terminal shows at once what is asked for and how long at most, until it is there`() async throws {
        let line = "\r\u{1B}[Kasking for the catalogue, at most 8:06 min…"
        let value = try await CatalogueWait(isAsked: true).shown(on: console(isTerminal: true), "the catalogue") {
            () throws(CatalogueError) in
            #expect(said.all == line)
            return 7
        }
        #expect(value == 7)
        #expect(said.all == line + "\r\u{1B}[K")
    }

    @Test func `it is taken away before a failure is told`() async {
        await #expect(throws: CatalogueError.cancelled) {
            try await CatalogueWait(isAsked: true).shown(on: console(isTerminal: true), "s3's releases") {
                () throws(CatalogueError) in throw CatalogueError.cancelled
            }
        }
        #expect(said.all == "\r\u{1B}[Kasking for s3's releases, at most 8:06 min…\r\u{1B}[K")
    }

    @Test(arguments: [(false, false, true), (true, true, true), (true, false, false)])
    func `nothing is shown elsewhere than on a terminal, with --quiet, or where no server is asked`(
        isTerminal: Bool, isQuiet: Bool, isAsked: Bool
    ) async throws {
        let console = console(isTerminal: isTerminal, isQuiet: isQuiet)
        try await CatalogueWait(isAsked: isAsked).shown(on: console, "the catalogue") { () throws(CatalogueError) in }
        #expect(said.all == "")
    }

    @Test func `the bound is all that the limits allow: the lock, the files, and every attempt at the last one`() {
        var limits = CatalogueLimits()
        (limits.lockTime, limits.refreshTime, limits.metadataTime) = (.seconds(1), .seconds(10), .seconds(100))
        (limits.attempts, limits.attemptPause) = (4, .milliseconds(1))
        #expect(limits.longestRefresh == .seconds(411) + .milliseconds(7))
        limits.attempts = 1
        #expect(limits.longestRefresh == .seconds(111))
    }
}

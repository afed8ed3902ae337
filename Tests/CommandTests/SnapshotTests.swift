import Foundation
import Testing
import TestSupport

/// What the commands say of themselves is kept beside the tests: a change of it is seen in review.
/// `ESPURR_UPDATE_SNAPSHOTS=1` writes it anew.
@Suite struct SnapshotTests {
    @Test(arguments: Commands.names) func `the help of a command`(command: String) async throws {
        let said = try await Commands.run(command, "--help")
        #expect(said.status == 0)
        #expect(said.messages == "")
        try Snapshot(named: "\(command).txt").expect(said.output)
        #expect(try await Commands.run(command, "help").output == said.output)
    }

    @Test(arguments: Commands.names) func `the verbs that the help lists are those that are tested`(
        command: String
    ) async throws {
        let help = try await Commands.run(command, "--help").output
        let table = help.components(separatedBy: "Verbs:\n")[1].components(separatedBy: "\n\n")[0]
        // What is too long for a line goes on below, further in.
        let verbs = table.split(separator: "\n").filter { !$0.hasPrefix("   ") }.compactMap {
            $0.split(separator: " ").first.map(String.init)
        }
        #expect(verbs == Commands.verbs[command])
    }

    @Test(arguments: Commands.all) func `the help of a verb`(verb: Commands.Verb) async throws {
        let said = try await Commands.run(verb.command, verb.name, "--help")
        #expect(said.status == 0)
        #expect(said.messages == "")
        try Snapshot(named: "\(verb.command)-\(verb.name).txt").expect(said.output)
        #expect(try await Commands.run(verb.command, "help", verb.name).output == said.output)
    }

    @Test(arguments: Commands.names) func `the manual page is the one that is installed`(command: String) async throws {
        let said = try await Commands.run(command, "--manual")
        #expect(said.status == 0)
        try Snapshot(path: BuiltProgram.packageFolder + "/docs/man/\(command).1").expect(said.output)
    }

    @Test(arguments: Commands.names) func `one version for all`(command: String) async throws {
        #expect(try await Commands.run(command, "--version").output == "\(command) 0.1.0\n")
    }
}

/// A text that is kept.
struct Snapshot {
    private let path: String

    init(path: String) { self.path = path }

    init(named name: String) { path = BuiltProgram.packageFolder + "/Tests/CommandTests/Snapshots/" + name }

    private static let isUpdating = ProcessInfo.processInfo.environment["ESPURR_UPDATE_SNAPSHOTS"] == "1"

    func expect(_ text: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
        if Self.isUpdating { try Data(text.utf8).write(to: URL(fileURLWithPath: path)) }
        #expect(try String(contentsOfFile: path, encoding: .utf8) == text, sourceLocation: sourceLocation)
    }
}

import Foundation
import TestSupport
import Testing

/// What a shell passes on is bytes.
@Suite struct UndecodableWordsTests {
    private func run(_ script: String, _ command: String) async throws -> BuiltProgram.Output {
        try await BuiltProgram(path: "/bin/sh").run(
            ["-c", script, "sh", BuiltProgram(command).path], environment: ["HOME": "/nonexistent"])
    }

    @Test(arguments: [("espurr-ota", "inspect"), ("espurr-ctl", "export")])
    func `an argument that is no UTF-8 is no other file`(command: String, verb: String) async throws {
        let output = try await run(#"exec "$1" \#(verb) "$(printf 'a\377')""#, command)
        #expect(output.status == 2)
        #expect(output.messages.hasPrefix("\(command): argument 2 is not UTF-8\n  → "))
    }

    @Test func `the simulator writes no catalogue to a folder of another name`() async throws {
        let folder = try TemporaryFolder()
        let output = try await run(#"cd '\#(folder.path)' && exec "$1" catalogue "$(printf 'a\377')""#, "espurr-sim")
        #expect(output.status == 2)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
    }

    @Test func `what the simulator would run is not begun with a word of another name`() async throws {
        let output = try await run(#"exec "$1" run -- echo "$(printf 'a\377')""#, "espurr-sim")
        #expect(output.status == 2)
        #expect(output.output == "")
        #expect(output.messages.hasPrefix("espurr-sim: argument 4 is not UTF-8\n"))
    }

    @Test func `a state folder that is no UTF-8 is no other folder`() async throws {
        let output = try await run(#"XDG_STATE_HOME="$(printf '/tmp/\377')" exec "$1" history --json"#, "espurr-ota")
        #expect(output.status == 2)
        #expect(output.messages.hasPrefix("espurr-ota: the value of XDG_STATE_HOME is not UTF-8\n"))
        #expect(output.documents.first?["schema"] == "espurr.history/1")
    }
}

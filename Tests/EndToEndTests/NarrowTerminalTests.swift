import TestSupport
import Testing

/// What people read at a terminal, and scripts from a pipe.
@Suite struct NarrowTerminalTests {
    @Test(
        .enabled(if: Python.plain != nil, "there is no python3"),
        arguments: [
            ["espurr-ctl", "info"], ["espurr-ctl", "get"], ["espurr-ctl", "doctor"],
            ["espurr-ota", "check", "--offline"],
        ])
    func `a terminal of 40 columns gets lines that fit it and lose nothing, a pipe gets them whole`(
        command: [String]
    ) async throws {
        let python = try #require(Python.plain)
        let script = BuiltProgram.packageFolder + "/Tests/Terminal/answer.py"
        let terminal = ["env", "TERM=xterm", "COLUMNS=40", python.path, script, "never asked", "-"]
        let quiet = command + ["--quiet"]
        // What a refresh has to say is said before.
        let steps = try await SimulatedRun()(["espurr-ota", "list", "--quiet"], quiet, terminal + quiet)
        #expect(steps.map(\.status) == [0, 0, 0])
        let whole = steps[1].output.split(separator: "\n")
        let lines = steps[2].output.split(separator: "\n")
        #expect(lines.allSatisfy { $0.count <= 40 })
        #expect(lines.count > whole.count)
        #expect(lines.flatMap { $0.split(separator: " ") } == whole.flatMap { $0.split(separator: " ") })
    }
}

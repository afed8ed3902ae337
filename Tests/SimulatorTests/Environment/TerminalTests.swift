import Foundation
import TestSupport
import Testing

/// `espurr-sim` on a pseudo-terminal, which Python makes: `ESPURR_PYTHON` names it.
@Suite(.timeLimit(.minutes(1))) struct TerminalTests {
    private static let python = ProcessInfo.processInfo.environment["ESPURR_PYTHON"]

    @Test(.enabled(if: python != nil, "ESPURR_PYTHON names no Python"))
    func `a command has the terminal as it would without espurr-sim`() async throws {
        let python = try #require(Self.python)
        let script = BuiltProgram.packageFolder + "/Tests/IndependentClients/terminal.py"
        let output = try await BuiltProgram(path: python).run([script, BuiltProgram("espurr-sim").path])
        #expect(output.status == 0, "\(output.messages)")
        #expect(output.output == "passed interrupt\npassed read_input\npassed stop_and_go_on\n")
    }
}

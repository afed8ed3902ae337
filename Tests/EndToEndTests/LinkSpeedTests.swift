import TestSupport
import Testing

/// A sample of the uploads over modelled links: all of them are a command of its own (`docs/benchmarks.md`).
@Suite struct LinkSpeedTests {
    /// The last are ears whose flash stalls, and such ones that give credit for more than they have room for.
    @Test(arguments: ["ESP32, 1M | 7.5 ms | 247", "S3, 2M | 15 ms | 517", "stalls"])
    func `both forms of an upload come near what the link can carry, and through where writes are dropped`(
        text: String
    ) async throws {
        let said = try await BuiltProgram("espurr-link-speed").run(["--case", text, "--size", "100000"])
        #expect(said.output.split(separator: "\n").filter { $0.contains("WRONG") } == [])
        #expect(said.output.contains("4 uploads, 0 wrong"))
        #expect(said.status == 0)
    }
}

import Testing
import TestSupport

/// A sample of the fault matrix: all of it is a command of its own (`docs/reliability.md`).
@Suite struct FaultMatrixTests {
    @Test
    func
        `faults anywhere in an update leave a bootable slot, a true verdict, and a next installation that is confirmed`()
        async throws
    {
        let said = try await BuiltProgram("espurr-fault-matrix").run(["--every", "11", "--pairs", "1500"])
        let wrong = said.output.split(separator: "\n").filter { $0.hasPrefix("WRONG") }
        #expect(said.status == 0)
        #expect(wrong == [])
        #expect(said.output.contains("single faults"))
    }
}

import TestSupport
import Testing

@Suite struct CompletionTests {
    @Test func `what ears said of their settings completes them, when they are not there any more too`() async throws {
        let asked = ["espurr-ctl", "--complete", "--", "set", "flashlight", ""]
        let steps = try await SimulatedRun()(
            asked, ["espurr-ctl", "get", "brightness"],
            ["sh", "-c", "DBUS_SYSTEM_BUS_ADDRESS=unix:path=/nonexistent exec " + asked.joined(separator: " ") + "''"],
            ["espurr-ctl", "--complete", "--", "set", ""])
        #expect(steps.map(\.status) == [0, 0, 0, 0])
        #expect(steps[0].output == "words\n")
        #expect(steps[2].output == "words\non\noff\n")
        #expect(steps[3].output.contains("brightness\tBrightness\n"))
    }

    @Test func `effects complete with their parameters, and palettes by the names that were read last`() async throws {
        func asked(_ words: String...) -> [String] { ["espurr-ctl", "--complete", "--"] + words }
        let steps = try await SimulatedRun()(
            asked("palette", "show", ""), ["espurr-ctl", "palette", "save", "Abend"], asked("palette", "delete", ""),
            ["espurr-ctl", "palette", "rename", "Abend", "Nacht"], asked("palette", "show", ""),
            asked("effect", "comet", ""), asked("palette", ""))
        #expect(steps.map(\.status) == [0, 0, 0, 0, 0, 0, 0])
        #expect(steps[0].output == "words\n")
        #expect(steps[2].output.split(separator: "\n").contains("Abend"))
        let shown = steps[4].output.split(separator: "\n")
        // The maker's are offered beside it.
        #expect(shown.contains("Nacht") && !shown.contains("Abend") && shown.count > 2)
        #expect(steps[5].output.contains("=") && !steps[5].output.contains("= "))
        #expect(steps[6].output == "words\nlist\nshow\nset\nsave\nrename\ndelete\nrestore\n")
    }
}

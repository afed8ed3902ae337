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
}

import Glibc
import TestSupport
import Testing

/// Signals to `apply` between its changes. Over the slow link a change takes longer than a signal.
@Suite struct InterruptedApplyTests {
    private let folder: TemporaryFolder
    private let command: [String]

    /// One setting and four palettes: five changes.
    init() throws {
        folder = try TemporaryFolder()
        let palettes = ["one", "two", "three", "four"].map {
            #"{"name":"\#($0)","palette":{"stops":[{"position":0,"colour":"2a0845"}],"blend":"smooth","#
                + #""hue_cycling":false,"background_glow":10}}"#
        }
        let file = try folder.write(
            #"{"schema":"espurr.export/1","family":"v2-8m","firmware_version":"1.4.0","settings":{"brightness":10},"#
                + #""palettes":[\#(palettes.joined(separator: ","))]}"#, to: "settings.json")
        command = ["sh", "-c", "exec espurr-ctl apply '\(file)' --verbose --json 2>&1"]
    }

    @Test(arguments: [(SIGTERM, Int32(143), "terminated"), (SIGINT, 130, "cancelled")])
    func `it says what is in force by then, and what is not`(signal: Int32, status: Int32, word: String) async throws {
        let steps = try await SimulatedRun("--fault", "slow-link").interrupting(
            command, ["espurr-ctl", "palette", "list", "--json"], when: { $0 == "change 3 of 5" }
        ) { command in kill(command, signal) }
        #expect(steps[0].status == status)
        let report = try #require(steps[0].documents.last)
        #expect(report["outcome"] == .string(word))
        #expect(report["cause"] == .string("\(word): the rest was not sent"))
        #expect(report["changes"].elements.map { $0["in_force"] } == [true, true, false, false, false])
        #expect(report["changes"][0]["change"] == "brightness: 60 % → 10 %")
        let saved = steps[1].document["saved"].elements.map { $0["name"].text }
        #expect(saved.contains("one") && !saved.contains("two"), "\(steps[1].output)")
    }

    @Test func `where the ears cannot be read any more, it says what was seen`() async throws {
        let (steps, hasEnded) = try await SimulatedRun("--fault", "slow-link").hanging(
            command, ["espurr-ctl", "palette", "list", "--json"], when: { $0 == "change 3 of 5" }, signal: SIGINT,
            within: .seconds(8))
        #expect(hasEnded)
        // Whether its third change was sent depends on how far it was; the others were, or were not.
        let report = try #require(steps[0].documents.last)
        #expect([130, 42].contains(steps[0].status))
        let inForce = report["changes"].elements.map { $0["in_force"] }
        #expect(inForce == [true, true, steps[0].status == 130 ? false : .null, false, false])
    }
}

import Glibc
import Testing
import TestSupport

@Suite struct SettingTests {
    @Test func `a setting is set, read back, and kept between runs`() async throws {
        let folder = try TemporaryFolder()
        let run = SimulatedRun("--state", folder.path + "/state")
        let steps = try await run(
            ["espurr-ctl", "set", "brightness", "40"], ["espurr-ctl", "get", "brightness"],
            ["espurr-ctl", "set", "brightness", "41", "--json"], ["espurr-ctl", "get", "brightness", "--json"])
        #expect(steps.map(\.status) == [0, 0, 0, 0])
        #expect(steps[0].output == "brightness  40 %\n")
        #expect(steps[1].output == "40\n")
        #expect(steps[3].document["settings"][0]["name"] == "brightness")
        #expect(steps[3].document["settings"][0]["value"] == 41)
        let later = try await run(["espurr-ctl", "get", "brightness"])
        #expect(later[0].output == "41\n")
    }

    @Test(arguments: [["brightness", "500"], ["brightness", "-1"], ["brightness", "bright"]])
    func `a value out of range is refused before anything is sent: 2`(change: [String]) async throws {
        let steps = try await SimulatedRun()(
            ["espurr-ctl", "set", "brightness", "40"], ["espurr-ctl", "set", "--json"] + change,
            ["espurr-ctl", "get", "brightness"])
        #expect(steps.map(\.status) == [0, 2, 0])
        #expect(steps[1].document["error"]["code"] == "value_refused")
        #expect(steps[2].output == "40\n")
    }

    @Test func `what a setting can be is shown beside its value, and when one is refused`() async throws {
        let steps = try await SimulatedRun()(
            ["espurr-ctl", "get"], ["espurr-ctl", "get", "brightness", "power"],
            ["espurr-ctl", "get", "brightness", "--verbose"], ["espurr-ctl", "set", "brightness", "bright"],
            ["espurr-ctl", "effect", "rainbow", "speed=99"])
        #expect(steps.map(\.status) == [0, 0, 0, 2, 2])
        let lines = steps[0].output.split(separator: "\n").map { $0.split(separator: " ").joined(separator: " ") }
        for line in [
            "power on on or off", "brightness 60 % 0 to 100 %",
            "ear-wiring left-first left-first, right-first, parallel", "wifi-password (write only) 8 to 63 bytes",
        ] {
            #expect(lines.contains(line))
        }
        #expect(steps[1].output == "brightness  60 %  0 to 100 %\npower       on    on or off\n")
        #expect(steps[2].output == "60\n")
        #expect(steps[2].messageLines.contains("brightness  0 to 100 %"))
        #expect(steps[3].messageLines.last == "  → brightness takes 0 to 100 %")
        #expect(steps[4].messageLines.last == "  → speed takes 1 to 10")
    }

    @Test func `of several settings, one that is refused keeps all of them as they were`() async throws {
        let steps = try await SimulatedRun()(
            ["espurr-ctl", "set", "brightness", "40"],
            ["espurr-ctl", "set", "brightness", "60", "nonsense", "1", "--json"], ["espurr-ctl", "get", "brightness"])
        #expect(steps.map(\.status) == [0, 25, 0])
        #expect(steps[1].document["error"]["code"] == "no_such_setting")
        #expect(steps[2].output == "40\n")
    }

    @Test(arguments: [
        ("set brighness 40", 25, "did you mean “brightness”?"), ("get brightnes", 25, "did you mean “brightness”?"),
        ("effect rainbw", 2, "did you mean “rainbow”?"),
        ("effect Rainbow speed 3", 25, "did you mean the effect “rainbow”?"),
        ("effect rainbow speed 3", 2, "a parameter and its value are one word, as in speed=3"),
        ("effect rainbow sped=3", 2, "did you mean “speed”?"),
        ("palette restore Sunst --yes", 25, "did you mean “Sunset”?"),
    ])
    func `a mistyped name is answered with the nearest`(line: String, status: Int32, remedy: String) async throws {
        let steps = try await SimulatedRun()(["espurr-ctl"] + line.split(separator: " ").map(String.init))
        #expect(steps[0].status == status)
        #expect(steps[0].messageLines.last == "  → \(remedy)")
    }

    @Test func `applied and not saved is told apart: 24, and gone after the power`() async throws {
        let folder = try TemporaryFolder()
        let state = folder.path + "/state"
        let steps = try await SimulatedRun("--state", state, "--fault", "save-fails")(
            ["espurr-ctl", "get", "brightness"], ["espurr-ctl", "set", "brightness", "41"],
            ["espurr-ctl", "get", "brightness"])
        #expect(steps.map(\.status) == [0, 24, 0])
        #expect(steps[2].output == "41\n")
        let later = try await SimulatedRun("--state", state)(["espurr-ctl", "get", "brightness"])
        #expect(later[0].output == steps[0].output)
    }
}

@Suite struct FollowedVerbTests {
    @Test func `status --watch prints what is, goes on, and ends with the signal's status`() async throws {
        let steps = try await SimulatedRun().interrupting(
            ["espurr-ctl", "status", "--watch", "--json"], when: { $0.contains(#""event":"status""#) }
        ) { command in kill(command, SIGTERM) }
        #expect(steps[0].status == 143)
        let first = try #require(steps[0].documents.first)
        #expect(first["settings"]["brightness"] == 60)
        #expect(first["schema"] == "espurr.status/1")
    }

    @Test(arguments: [
        "status --watch", "status --watch --json", "scan --timeout 10m", "scan --timeout 10m --json",
    ]) func `what only shows ends once nobody reads it, though it has nothing more to show: 141`(verb: String)
        async throws
    {
        let script = "espurr-ctl \(verb) | head -1; echo ${PIPESTATUS[0]}"
        let steps = try await SimulatedRun()(["bash", "-c", script])
        let lines = steps[0].output.split(separator: "\n")
        #expect(lines.count == 2)
        #expect(lines.last == "141")
    }

    @Test func `what cannot be written is not watched for ever: 16`() async throws {
        let steps = try await SimulatedRun()(["sh", "-c", "exec espurr-ctl status --watch > /dev/full"])
        #expect(steps[0].status == 16)
    }

    @Test func `a calibration that is interrupted is cancelled on the ears too`() async throws {
        // Ears that are never held still go on for the whole window.
        let steps = try await SimulatedRun("--fault", "calibration=timed-out").interrupting(
            ["espurr-ctl", "calibrate", "--json"], ["espurr-ctl", "motion", "--json"],
            when: { $0.contains(#""event":"progress""#) }
        ) { command in kill(command, SIGINT) }
        #expect(steps.map(\.status) == [130, 0])
        #expect(steps[0].documents.last?["result"] == "cancelled")
        #expect(steps[1].document["last_calibration"]["failure"] == "cancelled")
        #expect(steps[1].document["calibrated"] == false)
    }
}

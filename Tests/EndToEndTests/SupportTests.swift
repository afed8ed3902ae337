import Foundation
import TestSupport
import Testing

@Suite struct SupportTests {
    /// Names and addresses of everything there is, planted wherever they can be, and found nowhere in the report.
    @Test func `a report says how things are and not whose they are`() async throws {
        let folder = try TemporaryFolder()
        let file = folder.path + "/report.json"
        let steps = try await SimulatedRun("--fault", "drop-at=10%")(
            ["espurr-ctl", "set", "name", "planted-name"], ["espurr-ota", "install", "--yes"],
            [
                "env", "USER=planted-user", "LOGNAME=planted-login", "espurr-ctl", "support", "--yes", "--output", file,
                "--device", "02:E5:50:5C:1A:01",
            ],
            ["espurr-ctl", "support", "--yes", "--json", "--output", file + "2"],
            ["espurr-ctl", "devices", "--json"], ["espurr-ota", "history", "--json"],
            ["espurr-ctl", "info", "--json"])
        #expect(steps.map(\.status) == [0, 30, 0, 0, 0, 0, 0])
        let text = try String(contentsOfFile: file, encoding: .utf8)
        // What is shown before the question is what is written.
        #expect(steps[2].output == text)
        // The planted things are there to be found.
        #expect(steps[4].output.contains("02:E5:50:5C:1A:01") && steps[5].output.contains("02:E5:50:5C:1A:01"))
        #expect(steps[6].document["name"] == "planted-name")
        for planted in [
            "planted", "1A:01", "1A_01", "1A-01", "02E5505C1A01", "espurr-1A01", "espurr-1a01", "AA:BB", folder.path,
            ProcessInfo.processInfo.hostName, "Removed", "(removed)",
        ] {
            let isThere = text.range(of: planted, options: .caseInsensitive) != nil
            #expect(!isThere, "\(planted)")
        }
        #expect(addresses(in: text) == [])

        let report = try #require(JSONDocument(parsing: text))
        #expect(report["schema"] == "espurr.support-report/1")
        #expect(report["ears"]["described"]["family"] == "v2-8m")
        #expect(report["ears"]["described"]["update"]["running_slot"] == 0)
        #expect(report["attempts"]["latest"][0]["ears"] == 1)
        #expect(report["attempts"]["latest"][0]["verdict"] == "link_lost_old_firmware_runs")
        #expect(report["bluetooth"]["bonded_ears"] == 1)
        #expect(report["bluetooth"]["findings"] == .array([]))
        #expect(steps[3].document["report"]["ears"]["described"]["family"] == "v2-8m")
    }

    @Test func `a report comes about without ears`() async throws {
        let folder = try TemporaryFolder()
        let file = folder.path + "/report.json"
        let steps = try await SimulatedRun("--unpaired")(
            ["espurr-ctl", "support", "--yes", "--timeout", "1s", "--output", file])
        #expect(steps[0].status == 0)
        let report = try #require(JSONDocument(parsing: try String(contentsOfFile: file, encoding: .utf8)))
        #expect(report["ears"]["failure"]["status"] == 12)
        #expect(report["attempts"]["count"] == 0)
    }

    @Test func `a report comes about without Bluetooth, and only where it is wanted`() async throws {
        let folder = try TemporaryFolder()
        let environment = [
            "PATH": "/usr/bin:/bin", "HOME": folder.path, "XDG_RUNTIME_DIR": folder.path,
            "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nonexistent",
        ]
        let file = folder.path + "/report.json"
        let asked = try await BuiltProgram("espurr-ctl").run(["support", "--output", file], environment: environment)
        #expect(asked.status == 2)
        #expect(asked.messages.contains("--yes answers it"))
        #expect(!folder.contains("report.json"))
        let done = try await BuiltProgram("espurr-ctl").run(
            ["support", "--yes", "--output", file], environment: environment)
        #expect(done.status == 0, "\(done.messages)")
        let report = try #require(JSONDocument(parsing: try String(contentsOfFile: file, encoding: .utf8)))
        #expect(report["bluetooth"]["findings"][0]["status"] == 10)
        #expect(report["bluetooth"]["findings"][1]["code"] == "no_root")
        #expect(report["ears"]["failure"]["status"] == 10)
        #expect(report["tool"]["version"] == "0.1.0")
        let unwritable = try await BuiltProgram("espurr-ctl").run(
            ["support", "--yes", "--output", "/nonexistent/report.json"], environment: environment)
        #expect(unwritable.status == 16)
    }

    private func addresses(in text: String) -> [String] {
        text.matches(of: /[0-9A-Fa-f]{2}([:_-][0-9A-Fa-f]{2}){5}/).map { String($0.0) }
    }
}

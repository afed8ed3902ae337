import Glibc
import Testing
import TestSupport

/// What goes wrong in an installation: the verdict and the status say so, and the ears keep a slot that boots.
@Suite struct InstallationFaultTests {
    private let folder: TemporaryFolder
    private let file: String

    init() throws {
        folder = try TemporaryFolder()
        file = try FirmwareFile().write(to: folder)
    }

    @Test(arguments: [0, 50, 99])
    func `the link drops in the upload: 30, the old firmware runs, and a second attempt is confirmed`(
        percent: Int
    ) async throws {
        let steps = try await SimulatedRun("--fault", "drop-at=\(percent)%")(
            Command.install(file), Command.status, Command.install(file))
        #expect(steps[0].status == 30)
        #expect(steps[0].has(event: "link_lost"))
        #expect(steps[0].verdict["verdict"] == "link_lost_old_firmware_runs")
        #expect(steps[0].verdict["status"] == 30)
        #expect(SlotOfReading.both(of: steps[0].verdict["reading"]) == [.factory, .empty])
        #expect(steps[1].status == 0)
        #expect(SlotOfReading.both(of: steps[1].document["reading"]) == [.factory, .empty])
        #expect(steps[2].status == 0)
        #expect(steps[2].verdict["verdict"] == "confirmed")
    }

    @Test func `the last reply is lost: a fresh read finds the image selected, and the installation goes on`()
        async throws
    {
        let steps = try await SimulatedRun("--fault", "lose-last-reply")(Command.install(file), Command.status)
        #expect(steps[0].status == 0)
        #expect(steps[0].has(event: "link_lost"))
        #expect(steps[0].verdict["verdict"] == "confirmed")
        let slots = SlotOfReading.both(of: steps[1].document["reading"])
        #expect(slots == [.resting("1.4.0", state: "valid"), .confirmed("1.4.1")])
    }

    @Test func `the reply to the finish is lost with the link: 30 after a fresh read`() async throws {
        let steps = try await SimulatedRun("--fault", "lose-reply=finish")(Command.install(file), Command.status)
        #expect(steps[0].status == 30)
        #expect(steps[0].verdict["verdict"] == "link_lost_old_firmware_runs")
        let slots = SlotOfReading.both(of: steps[1].document["reading"])
        #expect(slots == [.factory, .resting("1.4.1", state: "undefined")])
    }

    @Test func `the ears refuse the image: 31 with their own error; they boot, and take a good one`() async throws {
        let state = folder.path + "/state"
        let steps = try await SimulatedRun("--state", state, "--fault", "refuse-image")(
            Command.install(file), Command.status)
        #expect(steps[0].status == 31)
        #expect(steps[0].verdict["verdict"] == "refused")
        let sentence = "the ears refused: image invalid, their own error 0x1503; the old firmware runs"
        #expect(steps[0].verdict["sentence"] == .string(sentence))
        let slots = SlotOfReading.both(of: steps[1].document["reading"])
        #expect(slots == [.factory, .resting("1.4.1", state: "undefined")])
        let later = try await SimulatedRun("--state", state)(Command.status, Command.install(file))
        #expect(later[0].document["reading"]["boot_count"] == 2)
        #expect(later[1].verdict["verdict"] == "confirmed")
    }

    @Test func `the new image does not boot: rolled back, 40; the old one boots, and takes a good one`() async throws {
        let state = folder.path + "/state"
        let steps = try await SimulatedRun("--state", state, "--fault", "boot-fails")(
            Command.install(file), Command.status)
        #expect(steps[0].status == 40)
        #expect(steps[0].verdict["verdict"] == "rolled_back")
        let slots = SlotOfReading.both(of: steps[1].document["reading"])
        #expect(slots == [.factory, .resting("1.4.1", state: "aborted")])
        let later = try await SimulatedRun("--state", state)(
            Command.status, Command.install(file), Command.install(file, "--allow-reinstall"))
        #expect(SlotOfReading.both(of: later[0].document["reading"]) == slots)
        #expect(later[1].verdict["verdict"] == "confirmed")
        // It is said that the same image did not come through here the last time, and only then.
        let warnings = later.map { $0.documents.filter { $0["event"] == "rolled_back_before" } }
        #expect(!steps[0].has(event: "rolled_back_before"))
        #expect(warnings.map(\.count) == [0, 1, 0])
        #expect(warnings[1].first?["id"] == steps[0].verdict["attempt"])
        #expect(warnings[1].first?["verdict"] == "rolled_back")
    }

    @Test(arguments: [
        (["slow-confirm=10s"], "confirmed", Int32(0)), (["slow-confirm=60s", "boot-fails=10s"], "rolled_back", 40),
    ])
    func `status --wait watches the trial boot of a command that died to its end, and settles it`(
        faults: [String], verdict: String, status: Int32
    ) async throws {
        let steps = try await SimulatedRun(faults.flatMap { ["--fault", $0] }).interrupting(
            Command.install(file), Command.status + ["--wait"], ["espurr-ota", "history", "--json"], Command.status,
            when: { $0.contains(#""phase":"watching""#) }
        ) { command in kill(command, SIGKILL) }
        #expect(steps.map(\.status) == [137, status, 0, 0])
        #expect(steps[1].documents.count == 1)
        #expect(steps[1].messages.contains("watching the trial boot"))
        #expect(steps[1].document["attempt"]["verdict"] == .string(verdict))
        #expect(steps[1].document["attempt"]["status"] == .integer(Int(status)))
        #expect(steps[2].document["id"] == steps[1].document["attempt"]["id"])
        #expect(steps[2].document["verdict"] == .string(verdict))
        let slots = SlotOfReading.both(of: steps[1].document["reading"])
        let isConfirmed = verdict == "confirmed"
        #expect(
            slots
                == (isConfirmed
                    ? [.resting("1.4.0", state: "valid"), .confirmed("1.4.1")]
                    : [.factory, .resting("1.4.1", state: "aborted")]))
        // It is settled, and nothing of it is left to be told.
        #expect(steps[3].document["attempt"] == .null)
    }

    @Test func `ears without rollback: the new image runs and is not confirmed, 41`() async throws {
        let steps = try await SimulatedRun("--fault", "no-rollback")(Command.install(file), Command.status)
        #expect(steps[0].status == 41)
        #expect(steps[0].verdict["verdict"] == "not_confirmed")
        let running = SlotOfReading.both(of: steps[1].document["reading"]).first { $0.runs }
        #expect(running == SlotOfReading(version: "1.4.1", state: "undefined", runs: true, isSelected: true))
    }

    @Test func `ears without rollback: nothing that cannot help is advised`() async throws {
        let install = ["espurr-ota", "install", "--yes"]
        let steps = try await SimulatedRun("--fault", "no-rollback")(
            install, install, ["espurr-ota", "check"], ["espurr-ota", "status", "--wait"], ["espurr-ota", "history"])
        let reason = "these ears' firmware was built without rollback and never reports a trial"
        #expect(steps[0].messages.contains("booted: 1.5.0 runs\n"))
        for step in steps.prefix(2) {
            #expect(step.status == 41)
            #expect(step.messages.contains(reason))
            #expect(!step.messages.contains("→"))
        }
        #expect(steps[2].status == 0)
        #expect(steps[2].output.contains("\n         not confirmed: \(reason)"))
        #expect(!steps[3].messages.contains("→"))
        #expect(steps[4].output.hasSuffix("  booted, not confirmed\n"))
    }

    @Test func `the reply to the restart is lost: their restart is waited for, and the image confirmed`() async throws {
        let steps = try await SimulatedRun("--fault", "lose-reply=restart")(Command.install(file))
        #expect(steps[0].status == 0)
        #expect(steps[0].verdict["verdict"] == "confirmed")
    }

    @Test func `check: what does not fit is one document, with the refusal in it`() async throws {
        let steps = try await SimulatedRun("--fault", "small-slot=16K")(["espurr-ota", "check", "--json"])
        #expect(steps[0].status == 23)
        #expect(steps[0].documents.count == 1)
        #expect(steps[0].document["fits"] == false)
        #expect(steps[0].document["error"]["code"] == "too_large")
        #expect(steps[0].isCauseAndRemedy, "\(steps[0].messages)")
    }

    @Test func `the ears do not restart: selected, 43`() async throws {
        let steps = try await SimulatedRun("--fault", "restart-ignored")(Command.install(file), Command.status)
        #expect(steps[0].status == 43)
        #expect(steps[0].verdict["verdict"] == "selected_not_restarted")
        #expect(steps[1].status == 43)
    }

    struct Refused: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var file: FirmwareFile
        var fault: [String] = []
        var status: Int32
        var code: JSONDocument
    }

    @Test(arguments: [
        Refused(
            testDescription: "for another family of the same chip", file: FirmwareFile(family: "s3"), status: 23,
            code: "family"),
        Refused(
            testDescription: "for another chip", file: FirmwareFile(family: "esp32"), status: 23, code: "family"),
        Refused(
            testDescription: "larger than the slot", file: FirmwareFile(), fault: ["--fault", "small-slot=16K"],
            status: 23, code: "too_large"),
        Refused(
            testDescription: "the battery is low", file: FirmwareFile(), fault: ["--fault", "battery=5%"], status: 23,
            code: "battery_low"),
        Refused(testDescription: "older", file: FirmwareFile("1.3.9"), status: 22, code: "older"),
        Refused(testDescription: "the same", file: FirmwareFile("1.4.0"), status: 22, code: "same"),
        Refused(testDescription: "no SemVer version", file: FirmwareFile("v1"), status: 22, code: "unordered"),
    ])
    func `what does not fit is refused before anything is sent`(refused: Refused) async throws {
        let path = try refused.file.write(to: folder, "refused")
        let steps = try await SimulatedRun(refused.fault)(Command.install(path), Command.status)
        #expect(steps[0].status == refused.status)
        #expect(steps[0].document["error"]["code"] == refused.code)
        #expect(steps[0].document["error"]["status"] == .integer(Int(refused.status)))
        #expect(steps[0].document["event"] == "verdict")
        #expect(steps[0].verdict["verdict"] == "refused")
        #expect(steps[0].isCauseAndRemedy, "\(steps[0].messages)")
        #expect(SlotOfReading.both(of: steps[1].document["reading"]) == [.factory, .empty])
        #expect(steps[1].document["attempt"] == nil)
    }

    @Test(arguments: [("1.3.9", "--allow-older"), ("1.4.0", "--allow-reinstall"), ("v1", "--allow-older")])
    func `each flag that a refusal names allows it`(version: String, flag: String) async throws {
        let path = try FirmwareFile(version, size: 4096).write(to: folder, "allowed")
        let steps = try await SimulatedRun()(Command.install(path), Command.install(path, flag))
        #expect(steps[0].document["error"]["remedy"] == .string("\(flag) would allow it"))
        #expect(steps[1].verdict["verdict"] == "confirmed")
        #expect(steps[1].verdict["version"] == .string(version))
    }
}

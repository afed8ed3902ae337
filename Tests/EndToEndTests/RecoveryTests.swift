import Glibc
import TestSupport
import Testing

/// Ears in recovery mode, from there to confirmed firmware or out of it.
@Suite struct RecoveryTests {
    private let folder: TemporaryFolder
    private let file: String

    init() throws {
        folder = try TemporaryFolder()
        file = try FirmwareFile().write(to: folder)
    }

    private static let show = ["espurr-ota", "recover", "--json"]
    private static let restart = ["espurr-ota", "recover", "restart", "--json"]

    private static let ways: [[String]] = [
        ["--recovery"], ["--recovery", "--fault", "no-firmware"], ["--recovery", "--fault", "without=update-stream"],
        ["--recovery", "--family", "esp32", "--fault", "no-firmware"], ["--fault", "no-firmware"],
    ]

    @Test(arguments: ways)
    func `the newest release for the family that they report is confirmed, in normal mode`(options: [String])
        async throws
    {
        let steps = try await SimulatedRun(options)(
            Self.show, ["espurr-ota", "check", "--exit-code", "--json"], ["espurr-ota", "install", "--yes", "--json"],
            Command.status, ["espurr-ota", "history", "--json"], Self.show)
        #expect(steps.map(\.status) == [0, 3, 0, 0, 0, 25])
        let before = steps[0].document
        #expect(before["mode"] == "recovery")
        #expect(before["old_firmware_to_fall_back_on"] == .boolean(before["bootable_slot"] != .null))
        #expect(before["reading"]["running_slot"] == .null)
        #expect(steps[1].document["running"] == .null)
        #expect(steps[1].document["family"] == before["family"])
        #expect(steps[2].verdict["verdict"] == "confirmed")
        #expect(steps[2].verdict["version"] == "1.5.0")
        #expect(steps[3].document["reading"]["mode"] == "normal")
        #expect(SlotOfReading.both(of: steps[3].document["reading"]).last == .confirmed("1.5.0"))
        #expect(steps[4].document["from_version"] == "recovery")
    }

    @Test(arguments: [0, 50, 99])
    func `the link drops in the upload: 30, still in recovery and said to be, and a second attempt is confirmed`(
        percent: Int
    ) async throws {
        let steps = try await SimulatedRun("--recovery", "--fault", "no-firmware", "--fault", "drop-at=\(percent)%")(
            Command.install(file), Self.show, Self.restart, Command.install(file))
        #expect(steps.map(\.status) == [30, 0, 23, 0])
        let sentence =
            "the link was lost; read since: the ears are in recovery mode, with no old firmware to fall back on"
        #expect(steps[0].verdict["sentence"] == .string(sentence))
        #expect(steps[0].verdict["reading"]["mode"] == "recovery")
        #expect(steps[1].document["bootable_slot"] == .null)
        #expect(steps[2].document["result"] == "nothing_bootable")
        #expect(steps[3].verdict["verdict"] == "confirmed")
    }

    @Test func `power lost in the upload into empty ears: recovery mode again, and a second attempt is confirmed`()
        async throws
    {
        let steps = try await SimulatedRun("--recovery", "--fault", "no-firmware", "--fault", "power-loss-at=50%")(
            Command.install(file), Self.show, Command.install(file))
        #expect(steps.map(\.status) == [30, 0, 0])
        #expect(steps[1].document["mode"] == "recovery")
        #expect(steps[1].document["reading"]["boot_count"] == 2)
        #expect(steps[2].verdict["verdict"] == "confirmed")
    }

    /// No other slot could be booted instead, so the boot loader takes the one that was given up again and again
    /// (`bootloader_utility.c`): the ears are not heard until somebody brings them into recovery mode.
    @Test func `firmware that does not come up in empty ears: unknown, and settled and mended from recovery mode`()
        async throws
    {
        let state = folder.path + "/state"
        let faulty = SimulatedRun("--recovery", "--fault", "no-firmware", "--fault", "boot-fails", "--state", state)
        // They are waited for until the deadline; once it has crashed a few times this need not be.
        let steps = try await faulty.interrupting(
            Command.install(file), Self.show + ["--timeout", "2s"],
            when: { $0.contains(#""event":"heartbeat","phase":"reconnecting""#) }
        ) { command in kill(command, SIGINT) }
        #expect(steps.map(\.status) == [42, 11])
        #expect(steps[0].verdict["verdict"] == "unknown")

        let next = try await SimulatedRun("--recovery", "--state", state)(
            Self.show, Command.status, Command.install(file), Command.status)
        #expect(next.map(\.status) == [0, 40, 0, 0])
        #expect(next[0].document["bootable_slot"] == .null)
        #expect(next[0].document["reading"]["slots"].elements.last?["state"] == "aborted")
        #expect(next[1].document["attempt"]["verdict"] == "rolled_back")
        #expect(next[2].verdict["verdict"] == "confirmed")
    }

    @Test func `cancelled in the upload: 130, nothing is selected, and a second attempt is confirmed`() async throws {
        let large = try FirmwareFile(size: 1 << 20).write(to: folder, "large")
        let run = SimulatedRun(
            "--recovery", "--fault", "no-firmware", "--fault", "slow-link", "--fault", "without=update-stream")
        let steps = try await run.interrupting(
            Command.install(large), Self.show, Command.install(file),
            when: { $0.contains(#""phase":"sending","bytes""#) }
        ) { command in kill(command, SIGINT) }
        #expect(steps.map(\.status) == [130, 0, 0])
        #expect(steps[0].verdict["verdict"] == "cancelled")
        #expect(steps[0].verdict["sentence"].text?.contains("no old firmware to fall back on") == true)
        #expect(steps[1].document["bootable_slot"] == .null)
        #expect(steps[2].verdict["verdict"] == "confirmed")
    }

    @Test func `the way out: the firmware that they hold runs, and settings are there again`() async throws {
        let steps = try await SimulatedRun("--recovery")(
            ["espurr-ctl", "get", "brightness"], Self.restart, ["espurr-ctl", "get", "brightness"], Command.status,
            Self.restart)
        #expect(steps.map(\.status) == [25, 0, 0, 0, 25])
        #expect(steps[1].document["result"] == "left")
        #expect(steps[1].document["reading"]["mode"] == "normal")
        #expect(steps[2].output == "60\n")
        #expect(SlotOfReading.both(of: steps[3].document["reading"]) == [.factory, .empty])
    }

    @Test func `selected and not restarted: the way out boots it, and status settles the attempt as confirmed`()
        async throws
    {
        let large = try FirmwareFile().write(to: folder, "large")
        let run = SimulatedRun("--recovery", "--fault", "no-firmware", "--fault", "restart-ignored")
        let steps = try await run(Command.install(large), Self.show)
        #expect(steps.map(\.status) == [43, 0])
        #expect(steps[0].verdict["sentence"].text?.contains("no old firmware to fall back on") == true)
        #expect(steps[1].document["bootable_slot"] == 1)

        let state = folder.path + "/state"
        // Ears that ignore the restart, so that the command certainly dies before it.
        let killed = SimulatedRun(
            "--recovery", "--fault", "no-firmware", "--fault", "restart-ignored", "--state", state)
        let before = try await killed.interrupting(
            Command.install(large), when: { $0.contains(#""milestone":"selected""#) }
        ) { command in kill(command, SIGKILL) }
        #expect(before.map(\.status) == [137])
        let after = try await SimulatedRun("--recovery", "--fault", "no-firmware", "--state", state)(
            Self.show, Self.restart, ["espurr-ota", "status", "--wait", "--json"])
        #expect(after.map(\.status) == [0, 0, 0])
        #expect(after[2].document["attempt"]["verdict"] == "confirmed")
    }

    @Test func `ears are the same by name and by memory in either mode`() async throws {
        let second = ["--device", "espurr-1A02"]
        let steps = try await SimulatedRun("--recovery", "--ears", "2")(
            Self.show, Self.show + second, Self.show, Self.restart, ["espurr-ctl", "info", "--json"],
            Self.show + ["--device", "espurr-1A01"])
        #expect(steps.map(\.status) == [2, 0, 0, 0, 0, 0])
        #expect(steps[1].document["name"] == "espurr-1A02")
        #expect(steps[2].document["name"] == "espurr-1A02")
        #expect(steps[4].document["name"] == "espurr-1A02")
        #expect(steps[4].document["mode"] == "normal")
        #expect(steps[5].document["mode"] == "recovery")
    }

    struct Interrupted: Sendable, CustomTestStringConvertible {
        var action: String
        /// What is shown when Ctrl-C comes.
        var moment: String
        var fault: String

        var testDescription: String { action }
    }

    @Test(
        .enabled(if: Python.plain != nil, "there is no python3"),
        arguments: [
            Interrupted(action: "wifi-password", moment: "(not shown): ", fault: "storage-damaged"),
            Interrupted(action: "repair-storage", moment: "[y/N]", fault: "storage-damaged"),
            Interrupted(action: "restart", moment: "restarting", fault: "restart-ignored"),
        ])
    func `Ctrl-C ends it with 130, and the ears are in recovery mode as they were`(interrupted: Interrupted)
        async throws
    {
        let python = try #require(Python.plain)
        let script = BuiltProgram.packageFolder + "/Tests/Terminal/answer.py"
        let command = ["espurr-ota", "recover", interrupted.action]
        let steps = try await SimulatedRun("--recovery", "--fault", interrupted.fault)(
            [python.path, script, interrupted.moment, "\u{03}"] + command, Self.show)
        #expect(steps.map(\.status) == [130, 0])
        #expect(steps[0].output.contains("espurr-ota: cancelled"))
        #expect(steps[1].document["password_set"] == false)
        let health = interrupted.fault == "storage-damaged" ? "damaged" : "good"
        #expect(steps[1].document["storage"]["health"] == .string(health))
    }

    // MARK: Storage

    @Test func `a repair that is interrupted goes on: 130, and a second one is refused meanwhile`() async throws {
        // However busy the machine, the signal comes long before its end.
        let run = SimulatedRun("--recovery", "--fault", "storage-damaged", "--fault", "slow-repair=600s")
        let repair = ["espurr-ota", "recover", "repair-storage", "--yes", "--json"]
        let steps = try await run.interrupting(
            repair, Self.show, repair, when: { $0.contains(#""event":"progress""#) }
        ) { command in kill(command, SIGINT) }
        #expect(steps.map(\.status) == [130, 0, 31])
        #expect(steps[0].document["result"] == "cancelled")
        #expect(steps[0].document["cause"].text?.contains("goes on by itself") == true)
        #expect(steps[1].document["storage"]["health"] == "repairing")
        #expect(steps[2].document["result"] == "refused")
    }

    @Test(.enabled(if: Python.plain != nil, "there is no python3"), arguments: [("n", Int32(22)), ("y", 0)])
    func `at a terminal it says what is lost and asks; no is no`(answer: String, status: Int32) async throws {
        let python = try #require(Python.plain)
        let script = BuiltProgram.packageFolder + "/Tests/Terminal/answer.py"
        let steps = try await SimulatedRun("--recovery", "--fault", "storage-damaged")(
            [python.path, script, "[y/N]", answer, "espurr-ota", "recover", "repair-storage"], Self.show)
        #expect(steps.map(\.status) == [status, 0])
        let shown = steps[0].output
        #expect(shown.contains("a repair loses: settings, saved palettes, the calibration; bonds stay"))
        #expect(shown.contains("Repair it? [y/N]"))
        #expect(shown.contains("nothing was done") == (answer == "n"))
        #expect(steps[1].document["storage"]["health"] == (answer == "n" ? "damaged" : "good"))
    }
}

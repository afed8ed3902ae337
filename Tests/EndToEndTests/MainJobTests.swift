import Crypto
import Testing
import TestSupport

/// The job itself, with a release of the demonstration catalogue, over several runs of the same ears.
@Suite struct MainJobTests {
    @Test func `check, install, status: the versions agree with what is in the flash`() async throws {
        let folder = try TemporaryFolder()
        let dump = folder.path + "/flash.bin"
        var run = SimulatedRun("--family", "esp32", "--state", folder.path + "/state")
        run.deadline = .seconds(100)
        let before = try await run(["espurr-ota", "check", "--json"], ["espurr-ota", "check", "--exit-code"])
        #expect(before.map(\.status) == [0, 3])
        #expect(before[0].document["running"] == "1.4.0")
        #expect(before[0].document["fits"] == true)

        let installed = try await run(["espurr-ota", "install", "--yes", "--json"])
        #expect(installed[0].status == 0)
        let milestones = installed[0].documents.filter { $0["event"] == "milestone" }.map { $0["milestone"] }
        #expect(milestones == ["sent", "accepted", "selected", "booted"])
        #expect(installed[0].document["verdict"] == "confirmed")
        #expect(installed[0].document["version"] == "1.5.0")

        run.options += ["--dump-flash", dump]
        let after = try await run(
            Command.status, ["espurr-ota", "check", "--exit-code", "--json"],
            ["espurr-ota", "install", "--yes", "--json"], ["espurr-ota", "install", "1.5.0", "--yes", "--json"],
            ["espurr-ota", "install", "1.4.0", "--yes", "--json"])
        #expect(after.map(\.status) == [0, 0, 0, 22, 22])
        #expect(after[2].document["verdict"] == "up_to_date")
        let slots = SlotOfReading.both(of: after[0].document["reading"])
        #expect(slots == [.resting("1.4.0", state: "valid"), .confirmed("1.5.0")])
        try await compare(DumpedFlash(dump), with: after[0].document["reading"], in: folder)
    }

    private func compare(
        _ flash: DumpedFlash, with reading: JSONDocument, in folder: TemporaryFolder
    ) async throws {
        for slot in 0...1 {
            let application = try #require(flash.application(inSlot: slot))
            #expect(application.project == "espurr-esp32")
            #expect(reading["slots"][slot]["version"] == .string(application.version))
            #expect(reading["slots"][slot]["image_sha256"] == .string(hexadecimal(application.digest)))
            let hashed = Array(application.image.dropLast(32))
            #expect(HashAlgorithm.sha256.hash(of: hashed) == application.digest)
        }
    }

    @Test(
        .enabled(if: Python.judges != nil, "ESPURR_PYTHON names no Python with esptool"))
    func `esptool reads the slot that an installation wrote as a sound image`() async throws {
        let python = try #require(Python.judges)
        let folder = try TemporaryFolder()
        let dump = folder.path + "/flash.bin"
        let file = FirmwareFile("1.4.1+esptool")
        let steps = try await SimulatedRun("--dump-flash", dump)(
            Command.install(try file.write(to: folder), "--allow-older"), Command.status)
        #expect(steps[0].verdict["verdict"] == "confirmed")
        let application = try #require(try DumpedFlash(dump).application(inSlot: 1))
        #expect(application.image == file.bytes)
        let slot = try folder.write(bytes: application.image, to: "slot.bin")
        let said = try await python.run(["-m", "esptool", "image-info", slot])
        #expect(said.status == 0)
        let lines = Set(said.output.split(separator: "\n").map(String.init))
        #expect(lines.contains("Project name: espurr-v2-8m"))
        #expect(lines.contains("App version: 1.4.1+esptool"))
        #expect(lines.contains("Validation hash: \(hexadecimal(application.digest)) (valid)"))
        #expect(lines.contains { $0.hasPrefix("Checksum: ") && $0.hasSuffix("(valid)") })
    }

    @Test func `the demonstration pairs, checks, and ends as the command that failed`() async throws {
        let demo = try await BuiltProgram("espurr-sim").run(["demo", "--fault", "battery=5%"])
        #expect(demo.status == 23)
        let shown = demo.messages.split(separator: "\n").filter { $0.hasPrefix("$ ") }.map {
            $0.split(separator: " ")[2]
        }
        #expect(shown == ["pair", "check"])
    }

    @Test(
        .enabled(if: Python.judges != nil, "ESPURR_PYTHON names no Python with bleak"))
    func `an independent client finds the ears and makes an exchange`() async throws {
        let python = try #require(Python.judges)
        let script = BuiltProgram.packageFolder + "/Tests/IndependentClients/bleak_exchange.py"
        let steps = try await SimulatedRun()([python.path, script])
        #expect(steps[0].status == 0, "\(steps[0].messages)")
        #expect(steps[0].output.hasPrefix("found espurr-1A01 02:E5:50:5C:1A:01\n"))
    }

    @Test(
        .enabled(if: Python.judges != nil, "ESPURR_PYTHON names no Python with dbus-fast"))
    func `a whole run asks BlueZ for the ears' own UUIDs and no others`() async throws {
        let python = try #require(Python.judges)
        let script = BuiltProgram.packageFolder + "/Tests/IndependentClients/asked_uuids.py"
        let steps = try await SimulatedRun("--unpaired")([python.path, script])
        #expect(steps[0].status == 0, "\(steps[0].messages)")
        #expect(steps[0].output.contains("\nuuids "))
    }
}

import Glibc
import Testing
import TestSupport

/// A machine that is not ready, and ears that cannot be used: each is named, with its own status.
@Suite struct MachineTests {
    struct Obstacle: Sendable, CustomTestStringConvertible {
        var fault: String
        var status: Int
        var code: JSONDocument

        var testDescription: String { fault }
    }

    @Test(
        arguments: [
            Obstacle(fault: "no-bus", status: 10, code: "no_bus"),
            Obstacle(fault: "no-daemon", status: 10, code: "no_daemon"),
            Obstacle(fault: "activatable-daemon", status: 10, code: "daemon_not_running"),
            Obstacle(fault: "hung-daemon", status: 10, code: "daemon_silent"),
            Obstacle(fault: "no-adapter", status: 10, code: "no_adapter"),
            Obstacle(fault: "adapter-off", status: 10, code: "adapter_off"),
            Obstacle(fault: "adapter-blocked", status: 10, code: "adapter_blocked"),
            Obstacle(fault: "access-denied", status: 13, code: "not_permitted"),
            Obstacle(fault: "stale-bond", status: 12, code: "stale_bond"),
            Obstacle(fault: "security-2", status: 14, code: "protocol_not_supported"),
            Obstacle(fault: "protocol=3", status: 14, code: "protocol_not_supported"),
        ])
    func `every command names it the same way, in one line of cause and one of remedy`(
        obstacle: Obstacle
    ) async throws {
        var run = SimulatedRun("--fault", obstacle.fault)
        // An activated service that never comes would hold each call for 25 s.
        run.deadline = .seconds(45)
        let steps = try await run(Command.status, ["espurr-ctl", "info", "--json"])
        for step in steps {
            #expect(step.status == obstacle.status)
            #expect(step.document["error"]["code"] == obstacle.code)
            #expect(step.document["error"]["status"] == .integer(obstacle.status))
            #expect(step.document["error"]["remedy"].text != nil)
            #expect(step.isCauseAndRemedy, "\(step.messages)")
        }
        #expect(steps[0].document["error"]["cause"] == steps[1].document["error"]["cause"])
    }

    @Test func `a libcurl that cannot be loaded is found by doctor, and judges no address`() async throws {
        let folder = try TemporaryFolder()
        try folder.write("no library", to: "libcurl.so.4")
        func without(_ words: String...) -> [String] { ["env", "LD_LIBRARY_PATH=\(folder.path)"] + words }
        let steps = try await SimulatedRun()(
            without("espurr-ctl", "doctor", "--json"), without("espurr-ctl", "doctor"),
            without("espurr-ota", "check", "--family", "s3", "--json"),
            without("espurr-ota", "trust", "--address", "bogus://", "--json"),
            without("espurr-ota", "trust", "--address", "http://firmware.example/", "--json"),
            without("espurr-ota", "check", "--family", "s3", "--catalogue", "bogus://", "--json"),
            without("espurr-ota", "trust", "--address", "https://firmware.example/", "--json"))
        #expect(steps.map(\.status) == [15, 15, 15, 2, 2, 2, 0])
        let finding = steps[0].document["findings"].elements.first { $0["code"] == "no_libcurl" }
        #expect(finding?["weight"] == "obstacle")
        #expect(finding?["status"] == 15)
        #expect(finding?["remedy"].text?.contains("libcurl4") == true)
        #expect(
            steps[1].output.contains("in the way (15): a catalogue on the web cannot be asked: libcurl cannot be used"))
        #expect(steps[2].document["error"]["code"] == "catalogue_unreachable")
        for step in steps[3...5] { #expect(step.document["error"]["code"] == "catalogue_address") }
        #expect(steps[6].document["address"] == "https://firmware.example/")
    }

    @Test func `a libdbus that cannot be loaded is told as that, by every command that needs the ears and by doctor`()
        async throws
    {
        let folder = try TemporaryFolder()
        try folder.write("no library", to: "libdbus-1.so.3")
        func without(_ words: String...) -> [String] { ["env", "LD_LIBRARY_PATH=\(folder.path)"] + words }
        let steps = try await SimulatedRun()(
            without("espurr-ctl", "info", "--json"), without("espurr-ota", "status", "--json"),
            without("espurr-ctl", "doctor", "--json"), without("espurr-ota", "check", "--family", "s3", "--quiet"))
        #expect(steps.map(\.status) == [10, 10, 10, 0])
        for step in steps[0...1] {
            #expect(step.document["error"]["code"] == "no_libdbus")
            #expect(step.document["error"]["remedy"].text?.contains("libdbus-1-3") == true)
        }
        #expect(steps[2].document["findings"].elements.contains { $0["code"] == "no_libdbus" })

        // One that is no libdbus, of which every machine with these commands has one.
        let other = try TemporaryFolder()
        let library = try #require(
            ["/lib/x86_64-linux-gnu", "/lib/aarch64-linux-gnu", "/lib64", "/usr/lib"]
                .map { $0 + "/libm.so.6" }.first { access($0, R_OK) == 0 })
        try #require(symlink(library, other.path + "/libdbus-1.so.3") == 0)
        let wrong = try await SimulatedRun()(
            ["env", "LD_LIBRARY_PATH=\(other.path)", "espurr-ctl", "info", "--json"])
        #expect(wrong.map(\.status) == [10])
        #expect(wrong[0].document["error"]["code"] == "no_libdbus")
        #expect(wrong[0].document["error"]["cause"].text?.contains("has no dbus_") == true)
    }

    @Test func `a pairing that another program is at, and one whose link drops, are told apart`() async throws {
        let pair = ["sh", "-c", #"espurr-ctl pair --json --passkey-from "$ESPURR_SIM_SERIAL""#]
        for (fault, code) in [("pairing-elsewhere", "pairing_in_progress"), ("pair-drops", "link_lost")] {
            let steps = try await SimulatedRun("--unpaired", "--fault", fault)(
                pair, ["espurr-ctl", "devices", "--json"])
            #expect(steps.map(\.status) == [12, 0])
            #expect(steps[0].document["error"]["code"] == .string(code))
            #expect(steps[0].document["error"]["remedy"].text != nil)
            #expect(steps[1].document["devices"] == .array([]))
        }
    }

    @Test func `stale services are mended by the command that they are named with`() async throws {
        let steps = try await SimulatedRun("--fault", "stale-cache")(
            Command.status, ["sh", "-c", #"espurr-ctl repair-bond --yes --json --passkey-from "$ESPURR_SIM_SERIAL""#],
            Command.status)
        #expect(steps.map(\.status) == [14, 0, 0])
        #expect(steps[0].document["error"]["code"] == "stale_services")
    }

    @Test func `a daemon that is the default agent is no obstacle to a pairing`() async throws {
        let steps = try await SimulatedRun("--unpaired", "--fault", "default-agent")(
            ["sh", "-c", #"espurr-ctl pair --json --passkey-from "$ESPURR_SIM_SERIAL""#],
            ["espurr-ctl", "doctor", "--json"])
        #expect(steps.map(\.status) == [0, 0])
        #expect(steps[1].document["findings"].elements.map { $0["code"] } == ["default_agent"])
    }

    @Test func `BlueZ that answers Disconnect early, as 5.66 does, spoils no pairing`() async throws {
        let steps = try await SimulatedRun("--unpaired", "--fault", "early-disconnect")(
            ["sh", "-c", #"espurr-ctl pair --json --passkey-from "$ESPURR_SIM_SERIAL""#], Command.status)
        #expect(steps.map(\.status) == [0, 0])
    }

    @Test func `ears out of range are not found, within the time limit`() async throws {
        let limit = ["--timeout", "1s", "--json"]
        let known = try await SimulatedRun("--fault", "absent")(
            ["espurr-ota", "status"] + limit, ["espurr-ota", "status", "--device", "02:00:00:00:00:99"] + limit)
        let unknown = try await SimulatedRun("--unpaired", "--fault", "absent")(
            ["espurr-ctl", "scan"] + limit, ["espurr-ota", "status"] + limit,
            ["espurr-ctl", "pair", "--accept-any-passkey"] + limit)
        for step in known + unknown {
            #expect(step.status == 11)
            #expect(step.document["error"]["status"] == 11)
        }
    }

    @Test func `ears that are not paired are told from ears that are not there`() async throws {
        let steps = try await SimulatedRun("--unpaired")(Command.status)
        #expect(steps[0].status == 12)
        #expect(steps[0].document["error"]["code"] == "not_paired")
        #expect(steps[0].document["error"]["remedy"] == "espurr-ctl pair --device 02:E5:50:5C:1A:01 --adapter hci0")
    }

    @Test func `a pairing that compared no digits failed, and its bond is gone`() async throws {
        let steps = try await SimulatedRun("--unpaired", "--fault", "just-works")(
            ["espurr-ctl", "pair", "--accept-any-passkey", "--json"], ["espurr-ctl", "devices", "--json"],
            Command.status)
        #expect(steps.map(\.status) == [12, 0, 12])
        #expect(steps[0].document["error"]["code"] == "downgraded")
        #expect(steps[1].document["devices"] == .array([]))
        #expect(steps[2].document["error"]["code"] == "not_paired")
    }

    @Test func `a stale bond is mended by the command that it is named with`() async throws {
        let steps = try await SimulatedRun("--fault", "stale-bond")(
            Command.status, ["sh", "-c", #"espurr-ctl repair-bond --yes --json --passkey-from "$ESPURR_SIM_SERIAL""#],
            Command.status)
        let remedy = "espurr-ctl repair-bond --device 02:E5:50:5C:1A:01"
        #expect(steps[0].document["error"]["remedy"] == .string(remedy))
        #expect(steps.map(\.status) == [12, 0, 0])
    }

    @Test func `doctor says that a bond is not looked at, and names what shows a stale one`() async throws {
        let steps = try await SimulatedRun("--fault", "stale-bond")(
            ["espurr-ctl", "doctor"], ["espurr-ctl", "info", "--json"])
        #expect(steps.map(\.status) == [0, 12])
        let last = try #require(steps[0].output.split(separator: "\n").last)
        #expect(last.hasPrefix("not looked at") && last.contains("still know this machine (espurr-ctl info"))
        #expect(steps[1].document["error"]["code"] == "stale_bond")
    }

    @Test func `ears that this machine forgot are paired again with a click`() async throws {
        let steps = try await SimulatedRun()(
            ["espurr-ctl", "forget", "--yes", "--json"],
            ["sh", "-c", #"espurr-ctl pair --json --passkey-from "$ESPURR_SIM_SERIAL""#], Command.status)
        #expect(steps.map(\.status) == [0, 0, 0])
    }

    @Test(arguments: [("wrong-passkey", "digits_differ"), ("pair-refused", "refused_by_ears")])
    func `a pairing whose digits differ, or that the ears refuse, leaves no bond`(
        fault: String, code: String
    ) async throws {
        let steps = try await SimulatedRun("--unpaired", "--fault", fault)(
            ["sh", "-c", #"espurr-ctl pair --json --passkey-from "$ESPURR_SIM_SERIAL""#],
            ["espurr-ctl", "devices", "--json"])
        #expect(steps.map(\.status) == [12, 0])
        #expect(steps[0].document["error"]["code"] == .string(code))
        #expect(steps[1].document["devices"] == .array([]))
    }

    @Test func `scan lists each pair of ears once, though BlueZ knew them before they were heard`() async throws {
        let steps = try await SimulatedRun("--unpaired", "--ears", "2", "--fault", "discovering-elsewhere")(
            ["sh", "-c", "sleep 1; exec espurr-ctl scan --timeout 3s"])
        #expect(steps[0].status == 0)
        let addresses = steps[0].output.split(separator: "\n").map { $0.prefix(17) }
        #expect(addresses.sorted() == ["02:E5:50:5C:1A:01", "02:E5:50:5C:1A:02"])
    }

    @Test func `several pairs of ears are listed, and one has to be named`() async throws {
        let steps = try await SimulatedRun("--ears", "2")(
            Command.status, Command.status + ["--device", "02:E5:50:5C:1A:02"])
        #expect(steps.map(\.status) == [2, 0])
    }
}

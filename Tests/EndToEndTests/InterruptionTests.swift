import Glibc
import Testing
import TestSupport

/// Signals to `install` in the upload.
@Suite struct InterruptionTests {
    private let folder: TemporaryFolder
    /// Takes most of a minute to send chunk by chunk over a link that is as slow as a real one: however busy the machine,
    /// a signal that answers the first byte comes long before the last.
    private let large: String
    private let small: String

    init() throws {
        folder = try TemporaryFolder()
        large = try FirmwareFile(size: 1 << 20).write(to: folder, "large")
        small = try FirmwareFile().write(to: folder, "small")
    }

    private static let isSending: @Sendable (String) -> Bool = { $0.contains(#""phase":"sending","bytes""#) }

    @Test(arguments: [(SIGINT, Int32(130)), (SIGTERM, Int32(143)), (SIGHUP, Int32(129))])
    func `the first signal gives the upload up on the ears, reads them, and ends with its status`(
        signal: Int32, status: Int32
    ) async throws {
        let steps = try await SimulatedRun("--fault", "slow-link", "--fault", "without=update-stream").interrupting(
            Command.install(large), Command.status, Command.install(small), when: Self.isSending
        ) { command in kill(command, signal) }
        #expect(steps[0].status == status)
        #expect(steps[0].has(event: "cancelling"))
        #expect(steps[0].verdict["verdict"] == "cancelled")
        #expect(steps[0].verdict["status"] == .integer(Int(status)))
        #expect(SlotOfReading.both(of: steps[0].verdict["reading"]) == [.factory, .empty])
        #expect(SlotOfReading.both(of: steps[1].document["reading"]) == [.factory, .empty])
        // Nothing was left open on the ears: there is no old session to give up.
        #expect(!steps[2].has(event: "old_session_aborted"))
        #expect(steps[2].verdict["verdict"] == "confirmed")
    }

    @Test(arguments: ["stream", "exchange"])
    func `ears that fell silent are not waited for, and it ends with the signal's status`(form: String) async throws {
        let faults = form == "stream" ? [] : ["--fault", "without=update-stream"]
        let steps = try await SimulatedRun(["--fault", "silent-at=40%"] + faults).interrupting(
            Command.install(small), Command.status,
            when: { $0.contains(#""event":"heartbeat","phase":"sending""#) }
        ) { command in kill(command, SIGINT) }
        #expect(steps[0].documents.contains { $0["event"] == "upload_form" && $0["form"] == .string(form) })
        #expect(steps[0].status == 130)
        #expect(steps[0].verdict["verdict"] == "cancelled")
        #expect(SlotOfReading.both(of: steps[0].verdict["reading"]) == [.factory, .empty])
        // Nobody but this side ended the link; the ears would have had 32 s.
        #expect(!steps[0].has(event: "link_lost"))
        #expect(steps[0].documents.count { $0["event"] == "heartbeat" } == 1)
        #expect(steps[1].status == 0)
    }

    @Test func `a signal to espurr-sim reaches the command once, and its status comes back`() async throws {
        let output = try await SimulatedRun("--fault", "slow-link", "--fault", "without=update-stream").interruptingRun(
            Command.install(large), when: Self.isSending
        ) {
            $0.send(SIGINT)
        }
        #expect(output.status == 130)
        #expect(output.verdict["verdict"] == "cancelled")
    }

    @Test(arguments: ["stream", "exchange"])
    func `a file that is written over while it is sent, its length and time as before, is told as that`(
        form: String
    ) async throws {
        let faults = form == "stream" ? [] : ["--fault", "without=update-stream"]
        let output = try await SimulatedRun(["--fault", "slow-erase=10s"] + faults).interruptingRun(
            Command.install(large), when: { $0.contains(#""phase":"erasing""#) }
        ) { _ in #expect(throws: Never.self) { try overwriteKeepingTime(large, at: 1 << 19, with: [0xA5, 0x5A]) } }
        #expect(output.status == 21)
        #expect(
            output.verdict["sentence"]
                == "the image's file changed while it was sent; the upload was given up, and the old firmware runs")
    }

    @Test(arguments: ["stream", "exchange"])
    func `a file that is written to once it was judged is told as that: 21, nothing selected and nothing left open`(
        form: String
    ) async throws {
        let faults = form == "stream" ? [] : ["--fault", "without=update-stream"]
        let steps = try await SimulatedRun(["--fault", "slow-erase=10s"] + faults).interrupting(
            Command.install(large), Command.status, Command.install(small),
            when: { $0.contains(#""phase":"erasing""#) }
        ) { _ in #expect(truncate(large, 1 << 19) == 0) }
        #expect(steps[0].documents.contains { $0["event"] == "upload_form" && $0["form"] == .string(form) })
        #expect(steps[0].status == 21)
        #expect(steps[0].verdict["verdict"] == "image_unusable")
        let sentence = "the image's file changed while it was sent"
        #expect(
            steps[0].verdict["sentence"] == .string(sentence + "; the upload was given up, and the old firmware runs"))
        #expect(SlotOfReading.both(of: steps[1].document["reading"]) == [.factory, .empty])
        #expect(!steps[2].has(event: "old_session_aborted"))
        #expect(steps[2].verdict["verdict"] == "confirmed")
    }

    @Test func `the second signal leaves at once`() async throws {
        // Over this link letting go takes two seconds by itself, so that the first signal alone would take longer.
        let steps = try await SimulatedRun("--fault", "slow-link", "--fault", "without=update-stream").interrupting(
            Command.install(large), Command.status, when: Self.isSending
        ) { command in
            // Somebody presses the keys until it ends: what comes right after the first is taken for an echo of it.
            kill(command, SIGINT)
            while kill(command, SIGTERM) == 0 { sched_yield() }
        }
        #expect(steps[0].status == 143)
        #expect(steps[0].messages.contains("left at once: what was under way was not brought to an end\n"))
    }

    @Test func `the command after one that left at once has a link of its own, and does not lose it`() async throws {
        // Over this link BlueZ takes two seconds to let go, and the next command would be in the middle of the sound.
        let steps = try await SimulatedRun("--fault", "slow-link").interrupting(
            ["espurr-ctl", "status", "--watch", "--json"],
            ["espurr-ctl", "audio", "capture", "--output", folder.path, "--json"],
            when: { $0.contains(#""event":"status""#) }
        ) { command in
            kill(command, SIGINT)
            while kill(command, SIGTERM) == 0 { sched_yield() }
        }
        #expect(steps[0].status == 143)
        #expect(steps[0].messages.contains("left at once: what was under way was not brought to an end\n"))
        #expect(steps[1].status == 0, "\(steps[1].messages)")
    }

    @Test func `two signals at once, as timeout sends them, are one: stopped in order, with the last record`()
        async throws
    {
        let steps = try await SimulatedRun("--fault", "slow-link", "--fault", "without=update-stream").interrupting(
            Command.install(large), Command.status, when: Self.isSending
        ) { command in
            kill(command, SIGTERM)
            kill(command, SIGHUP)
        }
        // Of two that are pending at once the kernel gives the one with the smaller number first.
        #expect([129, 143].contains(steps[0].status))
        #expect(steps[0].verdict["verdict"] == "cancelled")
        #expect(SlotOfReading.both(of: steps[1].document["reading"]) == [.factory, .empty])
    }

    @Test func `killed in the upload: the record is settled by a fresh read, and a new attempt is confirmed`()
        async throws
    {
        let steps = try await SimulatedRun("--fault", "slow-link", "--fault", "without=update-stream").interrupting(
            Command.install(large), Command.status, Command.install(small),
            ["espurr-ota", "history", "--json"], when: Self.isSending
        ) { command in kill(command, SIGKILL) }
        #expect(steps[0].status == 137)
        #expect(steps[0].verdict == nil)
        #expect(steps[1].status == 30)
        #expect(steps[1].document["attempt"]["verdict"] == "link_lost_old_firmware_runs")
        #expect(SlotOfReading.both(of: steps[1].document["reading"]).first == .factory)
        #expect(steps[2].verdict["verdict"] == "confirmed")
        let verdicts = steps[3].documents.map { $0["verdict"] }
        #expect(verdicts.sorted { "\($0)" < "\($1)" } == ["confirmed", "link_lost_old_firmware_runs"])
    }

    @Test func `killed in the upload and installed again at once: the new attempt begins at byte 0`() async throws {
        let steps = try await SimulatedRun("--fault", "slow-link", "--fault", "without=update-stream").interrupting(
            Command.install(large), Command.install(small), when: Self.isSending
        ) { command in kill(command, SIGKILL) }
        #expect(steps[1].verdict["verdict"] == "confirmed")
        #expect(steps[1].verdict["version"] == "1.4.1")
    }
}

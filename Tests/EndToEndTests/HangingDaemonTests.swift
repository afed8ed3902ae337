import Glibc
import TestSupport
import Testing

/// Signals to commands while bluetoothd hangs, with the ears connected.
@Suite struct HangingDaemonTests {
    /// 2 s are the bound (`docs/decisions/0020-what-a-cancel-waits-for.md`), and a busy machine takes longer. Without it
    /// these took 12 s and more.
    private static let limit = Duration.seconds(8)

    @Test(
        arguments: [
            (["espurr-ctl", "status", "--watch", "--json"], #""event":"status""#, SIGINT, 130),
            (["espurr-ctl", "calibrate", "--json"], #""event":"progress""#, SIGTERM, 42),
            (["sh", "-c", "exec espurr-ctl set brightness 10 --verbose 2>&1"], "connecting to", SIGHUP, 129),
        ] as [([String], String, Int32, Int32)])
    func `a daemon that hangs is not waited for, and serves the next command when it wakes`(
        command: [String], line: String, signal: Int32, status: Int32
    ) async throws {
        let (steps, hasEnded) = try await SimulatedRun("--fault", "slow-link").hanging(
            command, ["espurr-ctl", "info", "--json"], when: { $0.contains(line) }, signal: signal, within: Self.limit)
        #expect(hasEnded)
        #expect(steps[0].status == status, "\(steps[0])")
        #expect(steps[1].status == 0, "\(steps[1])")
    }

    @Test func `an upload is ended as unknown, and settled by the next look`() async throws {
        let folder = try TemporaryFolder()
        let file = try FirmwareFile(size: 1 << 20).write(to: folder, "large")
        let (steps, hasEnded) = try await SimulatedRun("--fault", "slow-link", "--fault", "without=update-stream")
            .hanging(
                Command.install(file), Command.status, when: { $0.contains(#""phase":"sending","bytes""#) },
                signal: SIGINT,
                within: Self.limit)
        #expect(hasEnded)
        #expect(steps[0].status == 42)
        #expect(steps[0].verdict["verdict"] == "unknown")
        #expect(!steps[0].has(event: "link_lost"))
        #expect(steps[1].status == 30)
        #expect(steps[1].document["attempt"]["verdict"] == "link_lost_old_firmware_runs")
    }
}

import DBus
import Glibc
import TestSupport
import Testing

/// A simulator that is killed takes its message bus and its folder along.
@Suite(.timeLimit(.minutes(2))) struct SimulatorDeathTests {
    @Test func `killed, it leaves neither a bus nor a folder`() async throws {
        let folder = try TemporaryFolder()
        let program = try BuiltProgram("espurr-sim").start(
            ["run", "--", "sh", "-c", #"echo "$DBUS_SYSTEM_BUS_ADDRESS"; exec sleep 60"#],
            environment: ["PATH": "/usr/bin:/bin", "HOME": "/nonexistent", "TMPDIR": folder.path], in: folder)
        let address = try await program.line { $0.hasPrefix("unix:") }
        let connection = try await BusConnection(to: .explicit(address), deadline: .seconds(30))
        let signals = try await connection.signals(MatchRule(member: "Nothing"), deadline: .seconds(30))
        program.send(SIGKILL)
        // Ends with the connection, and so with the bus.
        for await _ in signals {}
        #expect(await connection.isOpen == false)
        // The folder goes after the bus; nothing tells of it.
        while hasRunFolder(folder.path) { try await Task.sleep(for: .milliseconds(5)) }
    }

    @Test func `killed, it leaves the ears as they were, and the next run takes them up`() async throws {
        let folder = try TemporaryFolder()
        let set = #"espurr-ctl set --quiet brightness 37 && kill -KILL "$PPID""#
        let killed = try await simulate(["--state", folder.path + "/state", "--", "sh", "-c", set])
        #expect(killed.status == 128 + SIGKILL)
        let next = try await simulate(["--state", folder.path + "/state", "--", "espurr-ctl", "get", "brightness"])
        #expect(next.output == "37\n" && next.status == 0)
    }

    private func simulate(_ words: [String]) async throws -> BuiltProgram.Output {
        try await BuiltProgram("espurr-sim").run(
            ["run"] + words, environment: ["PATH": "/usr/bin:/bin", "HOME": "/nonexistent"])
    }

    private func hasRunFolder(_ path: String) -> Bool {
        guard let listing = opendir(path) else { return false }
        defer { closedir(listing) }
        while let entry = readdir(listing) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name.hasPrefix("espurr-sim-") { return true }
        }
        return false
    }
}

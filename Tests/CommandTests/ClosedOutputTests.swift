import TestSupport
import Testing

/// Commands whose standard output is closed (`>&-`), on a machine without a bus: 10 is the end of what looked for ears.
@Suite struct ClosedOutputTests {
    private func run(_ command: String, _ words: [String]) async throws -> BuiltProgram.Output {
        let path = BuiltProgram(command).path
        return try await BuiltProgram(path: "/bin/sh").run(
            ["-c", #"exec "$@" >&-"#, "sh", path] + words,
            environment: ["HOME": "/nonexistent", "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nonexistent/bus"])
    }

    @Test(
        arguments: [
            ("espurr-ctl", ["scan"]), ("espurr-ctl", ["devices"]), ("espurr-ctl", ["info"]), ("espurr-ctl", ["status"]),
            ("espurr-ctl", ["status", "--watch"]), ("espurr-ctl", ["get"]), ("espurr-ctl", ["effects"]),
            ("espurr-ctl", ["palette", "list"]), ("espurr-ctl", ["palette", "show"]), ("espurr-ctl", ["motion"]),
            ("espurr-ctl", ["export"]), ("espurr-ctl", ["doctor"]), ("espurr-ota", ["check"]), ("espurr-ota", ["list"]),
            ("espurr-ota", ["status"]), ("espurr-ota", ["history"]), ("espurr-ota", ["inspect", "/nonexistent"]),
            ("espurr-ota", ["recover"]), ("espurr-ctl", ["scan", "--json"]),
        ])
    func `what is for its output alone does not begin`(command: String, words: [String]) async throws {
        let output = try await run(command, words)
        #expect(output.status == 16)
        #expect(output.messages == "\(command): standard output cannot be written\n")
    }

    @Test(
        arguments: [
            ("espurr-ctl", ["set", "brightness", "10"]), ("espurr-ctl", ["palette", "restore", "x", "--yes"]),
            ("espurr-ctl", ["export", "--output", "/tmp/espurr-export.json"]),
            ("espurr-ota", ["recover", "restart"]),
        ])
    func `what acts does so all the same`(command: String, words: [String]) async throws {
        #expect(try await run(command, words).status == 10)
    }
}

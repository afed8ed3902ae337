import Glibc
import TestSupport
import Testing

/// How few threads the user of a command may have (`ulimit -u`). One after another: all of them run as the same user.
@Suite(.serialized) struct FreeThreadsTests {
    /// The limit counts all threads of a user and does not hold for root, who runs as somebody of whom nothing else runs.
    private static func limited(_ limit: Int, _ words: [String]) -> [String] {
        let nobodyElse = ["setpriv", "--reuid=1905211907", "--regid=1905211907", "--clear-groups"]
        return (geteuid() == 0 ? nobodyElse : []) + ["prlimit", "--nproc=\(limit):\(limit)"] + words
    }

    private static func run(_ limit: Int, _ words: [String]) async throws -> BuiltProgram.Output {
        let program = [BuiltProgram.folder + "/" + words[0]] + words.dropFirst()
        let environment = ["PATH": "/usr/bin:/bin", "HOME": "/nonexistent", "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/-"]
        return try await BuiltProgram(path: "/usr/bin/env").run(limited(limit, program), environment: environment)
    }

    /// Where another user cannot come at the built programs there is nothing to be seen.
    private static func isSeen() async throws -> Bool {
        try await run(64, ["espurr-ctl", "--version"]).status == 0
    }

    @Test(
        .enabled { try await isSeen() },
        arguments: [
            ["espurr-ctl", "devices", "--json"], ["espurr-ctl", "doctor", "--json"],
            ["espurr-ota", "status", "--json"], ["espurr-ota", "list", "--json"],
        ])
    func `a command that has too few threads left says so before it begins`(words: [String]) async throws {
        for limit in [1, 2, 3, 4, 5, 6, 7, 12, 17] {
            let output = try await Self.run(limit, words)
            #expect(output.status == 10)
            #expect(output.document["error"]["code"] == "too_few_threads")
            #expect(output.isCauseAndRemedy, "\(output.messages)")
            #expect(output.messages.contains("ulimit -u"))
        }
    }

    @Test(.enabled(if: geteuid() == 0), .enabled { try await isSeen() })
    func `a command that has them begins`() async throws {
        let output = try await Self.run(24, ["espurr-ctl", "devices", "--json"])
        #expect(output.document["error"]["code"] == "no_bus")
    }

    @Test(.enabled { try await isSeen() }, arguments: ["espurr-ota", "espurr-ctl", "espurr-sim"])
    func `help and version need none`(command: String) async throws {
        for word in ["--help", "--version"] {
            let output = try await Self.run(1, [command, word])
            #expect(output.status == 0)
            #expect(output.messages == "")
        }
    }
}

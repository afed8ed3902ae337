import Foundation
import TestSupport
import Testing

/// The access point's password, followed through every system call (`Tests/Secrets/trace.py`).
@Suite(
    .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/strace"), "strace is not installed"),
    .enabled(if: Python.plain != nil, "there is no python3"),
    .timeLimit(.minutes(5)))
struct SecretTests {
    private static let secret = "Xq7-uncommon-Passw0rd-Zk9"

    struct Command: Sendable, CustomTestStringConvertible {
        var words: [String]
        var run: [String]

        var testDescription: String { words.joined(separator: " ") }
    }

    static let commands = [
        Command(words: ["espurr-ctl", "wifi", "password"], run: []),
        Command(words: ["espurr-ota", "recover", "wifi-password"], run: ["--recovery"]),
    ]

    @Test(arguments: ["terminal", "file", "descriptor"], commands)
    func `a password is in its own read and in the D-Bus write, and nowhere else`(
        place: String, command: Command
    ) async throws {
        let folder = try TemporaryFolder()
        try folder.write(Self.secret + "\n", to: "secret")
        let python = try #require(Python.plain)
        let script = BuiltProgram.packageFolder + "/Tests/Secrets/trace.py"
        let steps = try await SimulatedRun(command.run)([python.path, script, place, folder.path] + command.words)
        #expect(steps[0].status == 0, "\(steps[0].output) \(steps[0].messages)")

        let trace = try String(contentsOfFile: folder.path + "/trace", encoding: .utf8).split(separator: "\n")
        let first = try #require(trace.firstIndex { $0.contains(Self.secret) }, "it is never there")
        let holding = trace.filter { $0.contains(Self.secret) }
        let reads = holding.filter { $0.hasPrefix("read(") }
        let writes = holding.filter {
            $0.hasPrefix("sendmsg(") && $0.contains("UNIX-STREAM") && $0.contains("WriteValue")
        }
        #expect(reads.count == (place == "terminal" ? 2 : 1), "\(reads)")
        #expect(reads.allSatisfy { $0.contains(place == "terminal" ? "/dev/pts/" : "/secret>") }, "\(reads)")
        #expect(writes.count == 1, "\(writes)")
        #expect(holding.count == reads.count + writes.count, "\(holding)")
        // In pieces it is not either: no write of the command holds a part of it.
        let parts = [Self.secret.prefix(12), Self.secret.suffix(12)]
        for line in trace where !holding.contains(line) {
            #expect(!parts.contains { line.contains($0) }, "\(line)")
        }
        // Before it is read, nothing of this process can be dumped any more.
        let before = trace[..<first]
        #expect(before.contains { $0.contains("RLIMIT_CORE") && $0.contains("rlim_cur=0") })
        #expect(before.contains { $0.hasPrefix("prctl(PR_SET_DUMPABLE, SUID_DUMP_DISABLE") })

        let shown = try String(contentsOfFile: folder.path + "/shown", encoding: .utf8)
        #expect(!shown.isEmpty && !parts.contains { shown.contains($0) }, "\(shown)")
    }
}

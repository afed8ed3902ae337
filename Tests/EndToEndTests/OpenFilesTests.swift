import TestSupport
import Testing

/// How few files may be open (`ulimit -n`). With three the loader finds no library, and says so before there is a command.
@Suite struct OpenFilesTests {
    private static func limited(_ limit: Int, _ words: [String]) -> [String] {
        ["sh", "-c", "ulimit -n \(limit) && exec \"$@\"", "sh"] + words
    }

    private static func expectRefused(_ output: BuiltProgram.Output) {
        #expect(output.status == 10)
        #expect(output.document["error"]["code"] == "too_many_open_files")
        #expect(output.document["error"]["remedy"] == "ulimit -n 1024, then the same again")
        #expect(output.isCauseAndRemedy, "\(output.messages)")
    }

    @Test(
        arguments: [
            ["espurr-ctl", "info", "--json"], ["espurr-ctl", "doctor", "--json"], ["espurr-ota", "status", "--json"],
            ["espurr-ota", "check", "--json"], ["espurr-ota", "history", "--json"],
        ])
    func `a command has all the files that it may need, or says before it begins that they are too few`(
        words: [String]
    ) async throws {
        let limits = Array(4...48)
        let steps = try await SimulatedRun()(limits.map { Self.limited($0, words) })
        let refused = steps.prefix { $0.status == 10 }
        for step in refused { Self.expectRefused(step) }
        // What the test's own runner left open counts too.
        #expect((31..<limits.count).contains(refused.count))
        #expect(steps.dropFirst(refused.count).allSatisfy { $0.status == 0 })
    }

    @Test func `an update is not begun that could end for want of a file`() async throws {
        let install = ["espurr-ota", "install", "--yes", "--json"]
        let limits = [5, 6, 16, 34, 48]
        let steps = try await SimulatedRun()(limits.map { Self.limited($0, install) })
        for step in steps.dropLast() {
            #expect(step.status == 10)
            #expect(step.verdict["error"]["code"] == "too_many_open_files")
        }
        #expect(steps.last?.verdict["verdict"] == "confirmed")
    }

    @Test func `a pairing is not begun either`() async throws {
        let pair = ["espurr-ctl", "pair", "--accept-any-passkey", "--json"]
        let steps = try await SimulatedRun("--unpaired")([7, 8, 12, 34, 48].map { Self.limited($0, pair) })
        #expect(steps.map(\.status) == [10, 10, 10, 10, 0])
    }

    @Test(arguments: [4, 5, 6, 16, 40]) func `the simulator says so too`(limit: Int) async throws {
        let words = Self.limited(limit, [BuiltProgram.folder + "/espurr-sim", "run", "--", "true"])
        let output = try await BuiltProgram(path: "/usr/bin/env").run(words, environment: ["PATH": "/usr/bin:/bin"])
        #expect(output.status == 10)
        #expect(output.messages.hasPrefix("espurr-sim: too few open files are allowed: ulimit -n says \(limit)\n  → "))
    }

    @Test(arguments: ["espurr-ota", "espurr-ctl", "espurr-sim"])
    func `help and version need none`(command: String) async throws {
        for words in [["--help"], ["--version"]] {
            let limited = Self.limited(4, [BuiltProgram.folder + "/" + command] + words)
            let output = try await BuiltProgram(path: "/usr/bin/env").run(
                limited, environment: ["PATH": "/usr/bin:/bin"])
            #expect(output.status == 0)
            #expect(output.messages == "")
        }
    }
}

import Glibc
import TestSupport
import Testing

/// A folder that others may put something into and not look into, as somebody who is not root meets it.
@Suite struct UnlistableFolderTests {
    private static let somebody = ["setpriv", "--reuid=1905211908", "--regid=1905211908", "--clear-groups"]

    private static func run(_ words: [String]) async throws -> BuiltProgram.Output {
        let program = [BuiltProgram.folder + "/espurr-sim"] + words
        return try await BuiltProgram(path: "/usr/bin/env").run(
            (geteuid() == 0 ? somebody : []) + program, environment: ["PATH": "/usr/bin:/bin", "HOME": "/nonexistent"])
    }

    /// Where another user cannot come at the built programs there is nothing to be seen.
    @Test(.enabled { try await run(["--version"]).status == 0 })
    func `a folder is made in it`() async throws {
        let folder = try TemporaryFolder()
        try #require(chmod(folder.path, 0o333) == 0)
        defer { chmod(folder.path, 0o700) }
        let output = try await Self.run(["catalogue", folder.path + "/new/catalogue"])
        #expect(output.status == 0, "\(output.messages)")
        #expect(access(folder.path + "/new/catalogue/metadata/timestamp.json", F_OK) == 0)
    }
}

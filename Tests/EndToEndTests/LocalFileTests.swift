import Foundation
import Testing
import TestSupport

/// `install FILE` without a terminal: the file is looked at before anybody is told which flag allows it.
@Suite struct LocalFileTests {
    private let folder: TemporaryFolder
    private let ota = BuiltProgram("espurr-ota")

    init() throws { folder = try TemporaryFolder() }

    private func install(_ words: String...) async throws -> BuiltProgram.Output {
        try await ota.run(["install"] + words, environment: ["PATH": "/usr/bin:/bin", "HOME": folder.path])
    }

    private static let flags: [[String]] = [[], ["--yes"], ["--unauthenticated"], ["--unauthenticated", "--yes"]]

    @Test(arguments: flags)
    func `a file that is not there, or is no image, is refused as inspect refuses it`(flags: [String]) async throws {
        let script = try folder.write("print()\n", to: "script.py")
        for path in [folder.path + "/missing.bin", folder.path, script] {
            let inspected = try await ota.run(["inspect", path])
            let said = try await ota.run(
                ["install", path] + flags, environment: ["PATH": "/usr/bin:/bin", "HOME": folder.path])
            #expect(said.status == 21)
            #expect(said.messages == inspected.messages)
            if path != script { #expect(said.isCauseAndRemedy, "\(said.messages)") }
        }
    }

    @Test func `with --json the last record has the file's fault`() async throws {
        let said = try await install(folder.path + "/missing.bin", "--json")
        #expect(said.status == 21)
        #expect(said.documents.count == 1)
        #expect(said.document["event"] == "verdict")
        #expect(said.document["error"]["code"] == "missing")
    }

    @Test func `a sound image needs a person's word, and then a confirmation`() async throws {
        let image = try FirmwareFile("1.4.1").write(to: folder)
        let unasked = try await install(image)
        #expect(unasked.status == 2)
        #expect(unasked.messages.contains("nobody is at the terminal to allow a file"))
        // Both flags at once: one round, not two.
        #expect(unasked.messages.contains("→ --unauthenticated allows it, and --yes confirms\n"))
        let confirmed = try await install(image, "--yes")
        #expect(confirmed.status == 2)
        #expect(confirmed.messages.contains("→ --unauthenticated allows it\n"))
        let allowed = try await install(image, "--unauthenticated")
        #expect(allowed.status == 2)
        #expect(allowed.messages.contains("→ --yes confirms"))
        #expect(!folder.contains(".config"))
    }

    @Test func `what failed may have been a file: a retry names both flags`() async throws {
        let said = try await install("--retry-failed")
        #expect(said.status == 2)
        #expect(
            said.messages.hasSuffix(
                "→ --yes confirms, and --unauthenticated allows a file, where it was one\n"))
    }

    @Test func `a folder with a catalogue is answered with the option that takes it`() async throws {
        try FileManager.default.createDirectory(atPath: folder.path + "/metadata", withIntermediateDirectories: false)
        let said = try await install(folder.path)
        #expect(said.status == 21)
        #expect(said.messages.hasSuffix("it is a folder\n  → it holds a catalogue: --catalogue \(folder.path)\n"))
    }

    @Test func `a folder's name that looks like a version is answered with the option too`() async throws {
        try FileManager.default.createDirectory(atPath: folder.path + "/stick", withIntermediateDirectories: false)
        let line = "cd \(folder.path) && exec \(ota.path) install"
        for (name, isHinted) in [("stick", true), ("other", false)] {
            let said = try await BuiltProgram(path: "/bin/sh").run(["-c", "\(line) \(name)"])
            #expect(said.status == 2)
            #expect(said.messages.contains("--catalogue \(name)") == isHinted)
        }
    }
}

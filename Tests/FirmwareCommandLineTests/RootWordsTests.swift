import Catalogue
import FirmwareCommandLine
import Foundation
import TestSupport
import Testing

/// What `trust` shows of a root that the catalogue has led on from.
@Suite struct RootWordsTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func run(_ words: String...) async throws -> BuiltProgram.Output {
        let xdg = ["STATE", "CACHE", "CONFIG"].map { ("XDG_\($0)_HOME", "\(folder.path)/\($0.lowercased())") }
        let environment = Dictionary(uniqueKeysWithValues: xdg + [("PATH", "/usr/bin:/bin"), ("HOME", folder.path)])
        return try await BuiltProgram("espurr-ota").run(words, environment: environment)
    }

    @Test func `trust shows the root in force, and the one that was given where that is another`() async throws {
        let keys = BuiltProgram.packageFolder + "/catalogue-keys/demonstration.root.json"
        let demonstration = folder.path + "/demonstration"
        let written = try await BuiltProgram("espurr-sim").run(["catalogue", demonstration], environment: [:])
        #expect(written.status == 0)
        let given = try TrustedRoot(file: keys)
        #expect(given.root.version == 1)
        #expect(
            try await run("trust", keys, "--fingerprint", given.fingerprint, "--address", demonstration).status == 0)
        let before = try await run("trust", "--json")
        #expect(before.document["version"] == 1)
        #expect(before.document["given"]["version"] == 1)
        #expect(try await !run("trust").output.contains("followed to"))

        #expect(try await run("list").status == 0)
        let later = try TrustedRoot(file: demonstration + "/metadata/2.root.json")
        let text = try await run("trust").output
        #expect(
            text.hasPrefix(
                "given to this machine: version 1, fingerprint \(given.fingerprint); followed to: version 2\n"
                    + "root version 2, expires "))
        #expect(text.contains("\nfingerprint \(later.fingerprint)\n"))
        let document = try await run("trust", "--json").document
        #expect(document["version"] == 2)
        #expect(document["fingerprint"] == .string(later.fingerprint))
        #expect(
            document["keys"].elements.map { $0["fingerprint"].text } == later.keys.map(\.fingerprint))
        #expect(document["given"]["version"] == 1)
        #expect(document["given"]["fingerprint"] == .string(given.fingerprint))
        // Given once more it is shown as it now is, not as the file has it.
        let again = try await run("trust", keys, "--fingerprint", given.fingerprint, "--json")
        #expect(again.document["version"] == 2)
    }
}

extension BuiltProgram.Output {
    fileprivate var document: JSONDocument { documents.last ?? .null }
}

import Catalogue
import CommandLineTools
import Firmware
import Foundation
import TestSupport
import Testing

@testable import FirmwareCommandLine

/// What a machine that read the demonstration catalogue once says of files, while that catalogue is not there any more.
@Suite struct KeptCatalogueTests {
    private let folder: TemporaryFolder
    private let environment: [String: String]
    private var image: String { folder.path + "/espurr-s3-1.5.0.bin" }

    init() async throws {
        folder = try TemporaryFolder()
        let xdg = ["STATE", "CACHE", "CONFIG"].map { [path = folder.path] in
            ("XDG_\($0)_HOME", "\(path)/\($0.lowercased())")
        }
        environment = Dictionary(uniqueKeysWithValues: xdg + [("PATH", "/usr/bin:/bin"), ("HOME", folder.path)])
        let catalogue = folder.path + "/catalogue"
        try await Self.run("espurr-sim", ["catalogue", catalogue], [:])
        let root = catalogue + "/root.json"
        let fingerprint = try TrustedRoot(file: root).fingerprint
        try await Self.run(
            "espurr-ota", ["trust", root, "--fingerprint", fingerprint, "--address", catalogue], environment)
    }

    private static func run(_ program: String, _ words: [String], _ environment: [String: String]) async throws {
        let output = try await BuiltProgram(program).run(words, environment: environment)
        #expect(output.status == 0, "\(output.messages)")
    }

    private func downloaded(_ version: String = "1.5.0") async throws -> ImageInspection {
        let words = ["download", version, "--family", "s3", "--output", folder.path, "--candidates"]
        try await Self.run("espurr-ota", words, environment)
        try FileManager.default.removeItem(atPath: folder.path + "/catalogue")
        return try ImageInspection(of: ImageFile("\(folder.path)/espurr-s3-\(version).bin"))
    }

    private var directories: UserDirectories {
        get throws { try UserDirectories(environment: environment) }
    }

    @Test func `a file with a release's very bytes is named, without a request and whatever its name`() async throws {
        let inspection = try await downloaded()
        let kept = try #require(KeptCatalogue(directories: try directories))
        let listed = try #require(await kept.release(of: inspection))
        #expect(listed.inWords == "s3 1.5.0 (stable)")
        #expect(listed.staleSince == nil)
        let other = folder.path + "/other.bin"
        try FileManager.default.moveItem(atPath: image, toPath: other)
        let said = try await BuiltProgram("espurr-ota").run(["inspect", other], environment: environment)
        #expect(said.output.contains("\ncatalogue      lists it as s3 1.5.0 (stable)\n"))
        let json = try await BuiltProgram("espurr-ota").run(["inspect", other, "--json"], environment: environment)
        #expect(json.output.contains(#""listed":{"family":"s3","version":"1.5.0","channel":"stable","#))
        #expect(json.output.contains(#""stale_since":null"#))
    }

    @Test func `installed by its name it is not authenticated all the same`() async throws {
        _ = try await downloaded()
        let said = try await BuiltProgram("espurr-ota").run(["install", image, "--yes"], environment: environment)
        #expect(said.status == 2)
        // A script is told of the way that needs no such word before the flag that gives it.
        #expect(
            said.messages
                == """
                espurr-ota: nobody is at the terminal to allow a file that the catalogue does not authenticate; it lists these \
                bytes as s3 1.5.0 (stable)
                  → for s3 ears, and no others, “espurr-ota install 1.5.0 --yes” asks the catalogue for them, authenticated; \
                --unauthenticated allows the file

                """)
        let unasked = try await BuiltProgram("espurr-ota").run(["install", image], environment: environment)
        #expect(unasked.status == 2)
        #expect(unasked.messages.contains("does not authenticate, and to confirm; it lists these bytes as s3 1.5.0"))
        #expect(unasked.messages.hasSuffix("; --unauthenticated allows the file, and --yes confirms\n"))
        let allowed = try await BuiltProgram("espurr-ota").run(
            ["install", image, "--yes", "--unauthenticated"],
            environment: environment.merging(["DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nonexistent"]) { $1 })
        #expect(allowed.status == 10)
        // Ears of another family would get other bytes by the same words.
        let told =
            "the catalogue lists these bytes as s3 1.5.0 (stable); for s3 ears, and no others, "
            + "“espurr-ota install 1.5.0” asks the catalogue for them, authenticated"
        #expect(allowed.messages.contains("\(image): \(told)\n"))
    }

    @Test func `a candidate's command has the flag that it needs`() async throws {
        let inspection = try await downloaded("1.6.0-rc.1")
        let listed = try #require(await KeptCatalogue(directories: try directories)?.release(of: inspection))
        let command = try #require(listed.commandInWords())
        #expect(command.hasPrefix("for s3 ears, and no others, “espurr-ota install 1.6.0-rc.1 --candidates” asks"))
        let scripted = try #require(listed.commandInWords(confirmed: true))
        #expect(scripted.contains("“espurr-ota install 1.6.0-rc.1 --candidates --yes” asks"))
    }

    @Test func `where no catalogue is configured no command is named, and the release is all the same`() async throws {
        let inspection = try await downloaded()
        var configuration = try Configuration(try directories)
        configuration.catalogueAddress = nil
        try configuration.save(try directories)
        let listed = try #require(await KeptCatalogue(directories: try directories)?.release(of: inspection))
        #expect(listed.inWords == "s3 1.5.0 (stable)")
        #expect(listed.commandInWords() == nil)
    }

    @Test func `a file that no release is, or metadata that have expired or are damaged, name nothing`() async throws {
        let inspection = try await downloaded()
        let late = try #require(UTCTime("2100-01-01T00:00:00Z"))
        let expired = try #require(KeptCatalogue(directories: try directories, now: { late }))
        #expect(await expired.release(of: inspection) == nil)

        let kept = try #require(KeptCatalogue(directories: try directories))
        var bytes = try Data(contentsOf: URL(fileURLWithPath: image))
        bytes.append(contentsOf: [UInt8](repeating: 0xFF, count: 16))
        let longer = folder.path + "/longer.bin"
        try bytes.write(to: URL(fileURLWithPath: longer))
        let other = try ImageInspection(of: ImageFile(longer))
        #expect(throws: Never.self) { try other.verdict.get() }
        #expect(await kept.release(of: other) == nil)

        let root = try TrustedRoot(configuredBy: Configuration(try directories))
        let targets = CatalogueAccess.storeFolder(of: root, in: try directories) + "/targets.json"
        try Data("{}".utf8).write(to: URL(fileURLWithPath: targets))
        #expect(await kept.release(of: inspection) == nil)
    }

    @Test func `before a catalogue was read nothing is named, and nothing is made to find out`() throws {
        #expect(KeptCatalogue(directories: try directories) == nil)
        #expect(!folder.contains("state"))
        let fresh = try UserDirectories(environment: ["HOME": folder.path + "/nobody"])
        #expect(KeptCatalogue(directories: fresh) == nil)
        #expect(!folder.contains("nobody"))
    }
}

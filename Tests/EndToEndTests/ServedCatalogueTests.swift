import Crypto
import Foundation
import Glibc
import Testing
import TestSupport

/// The demonstration catalogue as files behind `python3 -m http.server`: no simulator, no ears.
@Suite(.serialized, .enabled(if: Python.plain != nil, "there is no python3 to serve it"))
struct ServedCatalogueTests {
    private let folder: TemporaryFolder
    private let ota = BuiltProgram("espurr-ota")

    init() throws { folder = try TemporaryFolder() }

    /// What a person does with a new catalogue: its files, its root trusted, its address configured.
    private func trustedCatalogue(at address: String) async throws {
        let written = try await BuiltProgram("espurr-sim").run(["catalogue", catalogue])
        #expect(written.status == 0)
        let root = catalogue + "/root.json"
        let fingerprint = hexadecimal(
            HashAlgorithm.sha256.hash(of: Array(try Data(contentsOf: URL(fileURLWithPath: root)))))
        let trusted = try await run("trust", root, "--fingerprint", fingerprint, "--address", address)
        #expect(trusted.status == 0, "\(trusted.messages)")
    }

    private var catalogue: String { folder.path + "/catalogue" }

    private var environment: [String: String] {
        let xdg = ["STATE", "CACHE", "CONFIG"].map { ("XDG_\($0)_HOME", "\(folder.path)/\($0.lowercased())") }
        return Dictionary(uniqueKeysWithValues: xdg + [("PATH", "/usr/bin:/bin"), ("HOME", folder.path)])
    }

    private func run(_ words: String...) async throws -> BuiltProgram.Output {
        try await ota.run(words + ["--json"], environment: environment)
    }

    /// Serves the folder while the body runs; the body gets the address.
    private func serving(_ body: (String) async throws -> Void) async throws {
        let python = try #require(Python.plain)
        try FileManager.default.createDirectory(atPath: catalogue, withIntermediateDirectories: true)
        let server = try python.start(
            ["-u", "-m", "http.server", "0", "--bind", "127.0.0.1", "--directory", catalogue],
            environment: ["PATH": "/usr/bin:/bin"], in: try TemporaryFolder())
        do {
            let line = try await server.line { $0.hasPrefix("Serving HTTP") }
            let port = try #require(line.split(separator: " ").drop { $0 != "port" }.dropFirst().first)
            try await body("http://127.0.0.1:\(port)")
        } catch {
            server.send(SIGKILL)
            _ = try? await server.end(within: .seconds(10))
            throw error
        }
        server.send(SIGKILL)
        _ = try await server.end(within: .seconds(10))
    }

    @Test func `a plain web server serves it: listed, downloaded, verified`() async throws {
        try await serving { address in
            try await trustedCatalogue(at: address)
            let list = try await run("list", "--channel", "all", "--family", "esp32")
            #expect(list.status == 0)
            let releases = list.document["releases"].elements.map { [$0["version"], $0["channel"]] }
            #expect(releases == [["1.4.0", "stable"], ["1.5.0", "stable"], ["1.6.0-rc.1", "candidate"]])
            let output = folder.path + "/downloads"
            let download = try await run("download", "1.5.0", "--family", "esp32", "--output", output)
            #expect(download.status == 0)
            let file = try #require(download.document["file"].text)
            let inspected = try await run("inspect", file)
            #expect(inspected.status == 0)
            #expect(inspected.document["family"] == "esp32")
            #expect(inspected.document["descriptor"]["version"] == "1.5.0")
        }
    }

    @Test func `a terminal shows how long the server may take at most, and takes it away; --quiet and a pipe do not`()
        async throws
    {
        let python = try #require(Python.plain)
        let script = BuiltProgram.packageFolder + "/Tests/Terminal/answer.py"
        try await serving { address in
            try await trustedCatalogue(at: address)
            for quiet in [[], ["--quiet"]] {
                let words = [python.path, script, "never asked", "-", ota.path, "list"] + quiet
                let shown = try await BuiltProgram(path: "/usr/bin/env").run(
                    words, environment: environment.merging(["TERM": "xterm"]) { $1 })
                #expect(shown.status == 0, "\(shown.messages)")
                let line = "\r\u{1B}[Kasking for the catalogue, at most 8:06 min…\r\u{1B}[K"
                #expect(shown.output.hasPrefix(line) == quiet.isEmpty, "\(shown.output)")
                #expect(shown.output.contains("1.5.0"))
            }
            #expect(try await run("list").messages == "")
        }
    }

    @Test func `a changed target is refused, and nothing of it is left`() async throws {
        try await serving { address in
            try await trustedCatalogue(at: address)
            let targets = catalogue + "/targets/esp32/1.5.0"
            let name = try #require(try FileManager.default.contentsOfDirectory(atPath: targets).first)
            try changeByte(of: "\(targets)/\(name)", at: 400_000)
            let output = folder.path + "/downloads"
            let download = try await run("download", "1.5.0", "--family", "esp32", "--output", output)
            #expect(download.status == 20)
            #expect(download.document["error"]["code"] == "untrusted")
            #expect(try FileManager.default.contentsOfDirectory(atPath: output) == [])
            let other = try await run("download", "1.4.0", "--family", "esp32", "--output", output)
            #expect(other.status == 0)
        }
    }

    @Test func `a server that is not there cannot be reached, 15; what was fetched before serves offline`()
        async throws
    {
        try await serving { address in
            try await trustedCatalogue(at: address)
            #expect(try await run("list").status == 0)
        }
        let dead = try await run("list")
        #expect(dead.status == 15)
        #expect(dead.document["error"]["code"] == "catalogue_unreachable")
        #expect(dead.isCauseAndRemedy, "\(dead.messages)")
        #expect(try await run("list", "--offline").status == 0)
    }

    @Test func `a file that the server does not have cannot be had, 15`() async throws {
        try await serving { address in
            try await trustedCatalogue(at: address)
            try FileManager.default.removeItem(atPath: catalogue + "/metadata/1.snapshot.json")
            let list = try await run("list")
            #expect(list.status == 15)
        }
    }

    /// A byte within what is signed, or of a signature; every byte there is has its turn in `CatalogueTests`.
    @Test(arguments: [
        ("timestamp.json", "\"version\""), ("timestamp.json", "\"sig\""), ("1.snapshot.json", "\"expires\""),
        ("1.snapshot.json", "\"sig\""), ("1.targets.json", "\"sha256\""), ("1.targets.json", "\"sig\""),
        ("2.root.json", "\"expires\""),
    ])
    func `a changed byte of metadata is not to be trusted, 20`(file: String, member: String) async throws {
        try await serving { address in
            try await trustedCatalogue(at: address)
            let path = "\(catalogue)/metadata/\(file)"
            try changeDigit(of: path, behind: member)
            let list = try await run("list")
            #expect(list.status == 20, "\(list.output)")
            #expect(list.document["error"]["code"] == "untrusted")
        }
    }

    @Test func `no root is trusted until one is given: 20`() async throws {
        let list = try await run("list", "--catalogue", "https://localhost.invalid/")
        #expect(list.status == 20)
        #expect(list.document["error"]["remedy"].text?.contains("espurr-ota trust") == true)
    }

    private func changeByte(of path: String, at offset: Int) throws {
        var bytes = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
        bytes[offset] ^= 1
        try Data(bytes).write(to: URL(fileURLWithPath: path))
    }

    /// The first digit behind a member's name becomes another one.
    private func changeDigit(of path: String, behind member: String) throws {
        let text = try String(contentsOfFile: path, encoding: .utf8)
        let start = try #require(text.range(of: member)).upperBound
        let digit = try #require(text[start...].firstIndex { "0123456789".contains($0) })
        let changed = text.replacingCharacters(in: digit...digit, with: text[digit] == "1" ? "2" : "1")
        try Data(changed.utf8).write(to: URL(fileURLWithPath: path))
    }
}

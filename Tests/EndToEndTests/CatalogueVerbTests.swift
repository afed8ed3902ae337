import Foundation
import Glibc
import Testing
import TestSupport

/// `trust`, `list`, `check` and `download` on a catalogue in a folder (`Tests/BrokenRepositories/releases.json`): one
/// family at the top, one by a delegated role, one release that contradicts itself, and two targets that are none.
@Suite struct CatalogueVerbTests {
    private let folder: TemporaryFolder
    private let ota = BuiltProgram("espurr-ota")
    private var catalogue: String { folder.path + "/catalogue" }
    private var root: String { catalogue + "/root.json" }

    private struct Stored: Decodable {
        let trusted_root: String
        let metadata: [String: String]
        let targets: [String: String]
    }

    init() throws {
        folder = try TemporaryFolder()
        let file = BuiltProgram.packageFolder + "/Tests/BrokenRepositories/releases.json"
        let stored = try JSONDecoder().decode(Stored.self, from: try Data(contentsOf: URL(fileURLWithPath: file)))
        for (name, text) in stored.metadata { try write(text, "metadata/" + name) }
        for (name, text) in stored.targets { try write(text, "targets/" + name) }
        try write(stored.trusted_root, "root.json")
    }

    private func write(_ text: String, _ name: String) throws {
        let url = URL(fileURLWithPath: "\(catalogue)/\(name)")
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: url)
    }

    private func run(_ words: String..., zone: String = "UTC") async throws -> BuiltProgram.Output {
        try await run(words, zone: zone)
    }

    private func run(_ words: [String], zone: String = "UTC") async throws -> BuiltProgram.Output {
        let xdg = ["STATE", "CACHE", "CONFIG"].map { ("XDG_\($0)_HOME", "\(folder.path)/\($0.lowercased())") }
        let environment = Dictionary(uniqueKeysWithValues: xdg + [("HOME", folder.path), ("TZ", zone)])
        return try await ota.run(words, environment: environment)
    }

    private func trusting() async throws {
        let shown = try await run("trust", root, "--json")
        let line = try #require(shown.messages.split(separator: "\n").first { $0.hasPrefix("fingerprint ") })
        let fingerprint = String(line.dropFirst("fingerprint ".count))
        #expect(try await run("trust", root, "--fingerprint", fingerprint, "--address", catalogue).status == 0)
    }

    @Test func `trust shows what it asks about before it asks, beside a document too`() async throws {
        for words in [["trust", root], ["trust", root, "--json"]] {
            let environment = ["XDG_CONFIG_HOME": folder.path, "HOME": folder.path]
            let asked = try await ota.run(words, environment: environment)
            #expect(asked.status == 2)
            let shown = words.contains("--json") ? asked.messages : asked.output + asked.messages
            let keys = try #require(shown.range(of: "ed25519  "))
            let question = try #require(shown.range(of: "nobody is at the terminal to answer “Trust these keys"))
            #expect(keys.upperBound < question.lowerBound)
            let rule = try #require(
                shown.range(of: "Compare the root's fingerprint, the SHA-256 of its file, with the one that "))
            #expect(keys.upperBound < rule.lowerBound && rule.upperBound < question.lowerBound)
            #expect(shown.components(separatedBy: "ed25519  ").count == 6)
        }
        #expect(!FileManager.default.fileExists(atPath: folder.path + "/espurr/config.json"))
    }

    @Test func `trust speaks of the file that it was given`() async throws {
        let missing = try await run("trust", folder.path + "/none.json")
        #expect(missing.status == 20)
        #expect(missing.messages.contains("\(folder.path)/none.json cannot be read (No such file or directory)"))
        let other = try await run("trust", catalogue + "/metadata/timestamp.json")
        #expect(other.status == 20)
        #expect(
            other.messages.contains("/metadata/timestamp.json is no root to trust: it is a “timestamp” and no root"))
        try write("<!DOCTYPE html>", "page.html")
        let page = try await run("trust", catalogue + "/page.html")
        #expect(page.messages.contains("/page.html is no root to trust: a page of HTML came in its place"))
        for output in [missing, other, page] { #expect(output.messages.contains("give the root file")) }
    }

    @Test func `the address alone can be changed, and the root stays`() async throws {
        #expect(try await run("trust", "--address", catalogue).status == 20)
        try await trusting()
        let moved = try await run("trust", "--address", "https://firmware.example/", "--json")
        #expect(moved.status == 0)
        #expect(moved.document["address"] == "https://firmware.example/")
        #expect(try await run("trust", "--json").document["address"] == "https://firmware.example/")
        #expect(try await run("trust", "--address", "http://firmware.example/").status == 2)
    }

    @Test func `a folder that is not there now is taken and told, and what can be no address is refused`() async throws
    {
        try await trusting()
        let stick = folder.path + "/stick"
        let absent = try await run("trust", "--address", stick, "--json")
        #expect(absent.status == 0)
        #expect(absent.messages == "\(stick) is not there now: the catalogue can be read once it is\n")
        #expect(absent.document["address"] == .string(stick))
        for address in [
            "https:x", "nonexistent/folder", root, "https://ohren.m\u{FC}nchen.example/", "https://x.example:0/",
            "https://x.example/%zz", "https://999.1.1.1/", "https://..",
        ] {
            let refused = try await run("trust", "--address", address, "--json")
            #expect(refused.status == 2)
            #expect(refused.document["error"]["code"] == "catalogue_address")
            #expect(refused.document["error"]["remedy"].text != nil)
        }
        #expect(try await run("trust", "--json").document["address"] == .string(stick))
        try FileManager.default.moveItem(atPath: catalogue, toPath: stick)
        #expect(try await run("list", "--json").status == 0)
    }

    @Test func `list shows delegated releases, and tells of one that contradicts itself`() async throws {
        try await trusting()
        let list = try await run("list", "--json")
        #expect(list.status == 0)
        #expect(list.document["releases"].elements.map { $0["version"] } == ["1.5.0", "2.0.0"])
        #expect(list.document["contradictions"].elements.map { $0["path"] } == ["s3/1.6.0/espurr.bin"])
        #expect(
            list.messages.contains(
                "the version of s3/1.6.0/espurr.bin is “1.6.0” by its path, “1.7.0” by its description"))
        let other = try await run("list", "--family", "v2-8m")
        #expect(other.output.contains("2.0.0"))
        #expect(!other.messages.contains("1.6.0"))
    }

    @Test func `list counts the targets that are no releases, and -v and the document say which and why`() async throws
    {
        try await trusting()
        let count = "2 targets left out; -v says which, and why\n"
        let lines = [
            "left out: s3/espurr.bin: it is not <family>/<version>/<file>.bin\n",
            "left out: v2-8m/2.1.0/espurr.bin: it has no description\n",
        ]
        let list = try await run("list")
        #expect(list.status == 0)
        #expect(list.messages.hasSuffix(count))
        #expect(!lines.contains { list.messages.contains($0) })
        let told = try await run("list", "-v").messages
        #expect(lines.allSatisfy { told.contains($0) })
        let document = try await run("list", "--json").document
        #expect(document["left_out"].elements.map { $0["path"] } == ["s3/espurr.bin", "v2-8m/2.1.0/espurr.bin"])
        #expect(document["left_out"].elements.map { $0["reason"] } == ["other_path", "no_description"])
        // Where nothing else is there they are the answer to where the release is.
        let none = try await run("list", "--channel", "candidate").messages
        #expect(none.hasSuffix("no release fits; --channel all shows those of every channel\n" + count))
    }

    @Test func `a family that the catalogue has nothing for is refused alike by every verb, with those that it has`()
        async throws
    {
        try await trusting()
        let words = "the catalogue has nothing for family S3; it has s3, v2-8m\n"
        for verb in [["list"], ["check"], ["download", "1.5.0"]] {
            for more in [["--family", "S3"], ["--family", "S3", "--json"]] {
                let refused = try await run(verb + more)
                #expect(refused.status == 22)
                #expect(refused.messages.hasPrefix("espurr-ota: " + words))
                #expect(refused.messages.contains("espurr-ota list --channel all shows what there is, of every family"))
                let isDocument = more.contains("--json")
                #expect(isDocument ? refused.document["error"]["code"] == "no_releases" : refused.output == "")
            }
        }
        #expect(try await run("list", "--family", "s3", "--channel", "candidate").status == 0)
    }

    @Test(arguments: [
        ("1.4", "as in 1.4.0"), ("v1.4", "as in 1.4.0"), ("2", "as in 2.0.0"), ("latest", "as in 1.5.0 or 1.6.0-rc.1"),
    ])
    func `a version that is none is refused alike by check and download, with what may be meant`(
        version: String, remedy: String
    ) async throws {
        for words in [["check", "--family", "v2-8m", "--running", version], ["download", version]] {
            let refused = try await run(words)
            #expect(refused.status == 2)
            #expect(
                refused.messages == "espurr-ota: “\(version)” is no semantic version\n  → \(remedy)\n")
        }
    }

    @Test func `check offers a delegated release`() async throws {
        try await trusting()
        let check = try await run("check", "--family", "v2-8m", "--running", "1.0.0", "--exit-code", "--json")
        #expect(check.status == 3)
        #expect(check.document["offer"]["version"] == "2.0.0")
        #expect(try await run("check", "--family", "s3", "--json").status == 23)
    }

    @Test(arguments: ["1.6.0", "1.7.0"])
    func `download refuses a release that contradicts itself, by either name`(version: String) async throws {
        try await trusting()
        let download = try await run("download", version, "--output", folder.path + "/out", "--json")
        #expect(download.status == 23)
        #expect(download.document["error"]["code"] == "catalogue_contradiction")
    }

    @Test func `download fetches the others, delegated ones too`() async throws {
        try await trusting()
        for (version, text) in [("1.5.0", "firmware s3 1.5.0"), ("2.0.0", "firmware v2-8m 2.0.0")] {
            let output = "\(folder.path)/out-\(version)"
            #expect(try await run("download", version, "--output", output).status == 0)
            #expect(try String(contentsOfFile: output + "/espurr.bin", encoding: .utf8) == text)
        }
    }

    @Test func `what cannot be written is told apart from the catalogue's own state`() async throws {
        try await trusting()
        let output = folder.path + "/out"
        try FileManager.default.createDirectory(atPath: output, withIntermediateDirectories: true)
        #expect(mkfifo(output + "/espurr.bin", 0o600) == 0)
        let pipe = try await run("download", "1.5.0", "--output", output)
        #expect(pipe.status == 16)
        #expect(pipe.messages.contains("\(output)/espurr.bin cannot be written"))
        try FileManager.default.removeItem(atPath: folder.path + "/state")
        try Data().write(to: URL(fileURLWithPath: folder.path + "/state"))
        let state = try await run("list")
        #expect(state.status == 16)
        #expect(state.messages.contains("the catalogue's state: \(folder.path)/state/espurr"))
        #expect(state.messages.contains("XDG_STATE_HOME"))
    }

    @Test func `a folder that is not there, or none, is told as that`() async throws {
        try await trusting()
        let stick = try await run("list", "--catalogue", folder.path + "/stick")
        #expect(stick.status == 15)
        #expect(stick.messages.contains("\(folder.path)/stick/metadata/2.root.json: No such file or directory"))
        #expect(try await run("list", "--catalogue", "").status == 2)
    }

    @Test func `one of a catalogue's own folders, or a file, is told as no catalogue`() async throws {
        try await trusting()
        for (name, what) in [
            ("/metadata", "holds no catalogue (no metadata/)"), ("/targets", "holds no catalogue (no metadata/)"),
            ("/root.json", "is no folder"),
        ] {
            let list = try await run("list", "--catalogue", catalogue + name)
            #expect(list.status == 15)
            #expect(
                list.messages
                    == "espurr-ota: \(catalogue)\(name) \(what)\n  → give the folder that holds metadata/ and targets/\n"
            )
        }
    }

    @Test func `a page in place of a file gets advice about the network`() async throws {
        try await trusting()
        try write("<html>Welcome to our café. Please sign in.</html>", "metadata/timestamp.json")
        let list = try await run("list")
        #expect(list.status == 20)
        #expect(list.messages.contains("timestamp.json is not to be trusted: a page of HTML came in its place"))
        #expect(list.messages.contains("sign in to this network"))
    }

    @Test func `a file that is no JSON is told with the place`() async throws {
        try await trusting()
        try write("{\"signed\": {},}", "metadata/timestamp.json")
        let list = try await run("list")
        #expect(list.status == 20)
        #expect(list.messages.contains("at byte 14 there is “}”, which has no place there"))
    }
}

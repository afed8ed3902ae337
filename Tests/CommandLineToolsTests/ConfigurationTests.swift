import CommandLineTools
import Foundation
import Testing

@Suite struct ConfigurationTests {
    /// A home and a machine's folder of the test's own.
    final class Machine {
        let base = FileManager.default.temporaryDirectory.appendingPathComponent("configuration-\(UUID().uuidString)")
            .path
        let directories: UserDirectories
        var etc: String { base + "/etc" }

        init(user: String? = nil, machine: String? = nil) throws {
            directories = try UserDirectories(environment: ["HOME": base])
            for (folder, text) in [(directories.configuration, user), (base + "/etc", machine)] {
                try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
                if let text { try Data(text.utf8).write(to: URL(fileURLWithPath: folder + "/config.json")) }
            }
        }
        deinit { try? FileManager.default.removeItem(atPath: base) }

        func load() throws -> Configuration { try Configuration(directories, machineFolder: etc) }
    }

    @Test func `no file is an empty configuration`() throws {
        #expect(try Machine().load() == Configuration())
    }

    @Test func `the user's member wins, the machine's other one stays`() throws {
        let machine = try Machine(
            user: #"{"schema":"espurr.config/1","catalogue":{"address":"https://b.example/"}}"#,
            machine: #"{"schema":"espurr.config/1","catalogue":{"address":"https://a.example/","root":"root.json"}}"#)
        let configuration = try machine.load()
        #expect(configuration.catalogueAddress == "https://b.example/")
        #expect(configuration.catalogueRoot == machine.etc + "/root.json")
    }

    @Test(arguments: ["", "[1]", "{", #"{"schema":"espurr.config/2"}"#, #"{"catalogue":{}}"#])
    func `a file that cannot be used is named and nothing is guessed`(text: String) throws {
        let machine = try Machine(user: text)
        let failure = #expect(throws: CommandFailure.self) { try machine.load() }
        #expect(failure?.status == .usage)
        #expect(failure?.cause.hasPrefix(machine.directories.configuration + "/config.json cannot be used") == true)
    }

    @Test func `an oversized file is refused`() throws {
        let machine = try Machine(user: String(repeating: " ", count: Configuration.maximumSize + 1))
        #expect(throws: CommandFailure.self) { try machine.load() }
    }

    @Test func `what is there and no readable file is not passed over`() throws {
        let machine = try Machine()
        try FileManager.default.createDirectory(
            atPath: machine.directories.configuration + "/config.json", withIntermediateDirectories: false)
        #expect(throws: CommandFailure.self) { try machine.load() }
    }

    @Test func `a pipe in the configuration's place is refused, not waited for`() throws {
        let machine = try Machine()
        try #require(mkfifo(machine.directories.configuration + "/config.json", 0o600) == 0)
        let failure = #expect(throws: CommandFailure.self) { try machine.load() }
        #expect(failure?.code == "configuration")
    }

    @Test func `saving keeps members that this build does not know`() throws {
        let machine = try Machine(
            user: ##"{"schema":"espurr.config/1","later":[1,-2.5,"#",true,null,{"a":{}}],"catalogue":{"mirror":"x"}}"##)
        try Configuration(catalogueAddress: "https://c.example/", catalogueRoot: "/r.json").save(machine.directories)
        let path = machine.directories.configuration + "/config.json"
        let data = try #require(FileManager.default.contents(atPath: path))
        let read = try #require(try JSONSerialization.jsonObject(with: data) as? NSDictionary)
        let expected: NSDictionary = [
            "schema": "espurr.config/1",
            "later": [1, -2.5, "#", true, NSNull(), ["a": [:] as NSDictionary]] as NSArray,
            "catalogue": ["mirror": "x", "address": "https://c.example/", "root": "/r.json"],
        ]
        #expect(read == expected)
    }
}

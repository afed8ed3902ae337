import CommandLineTools
import Foundation
import Testing

@Suite struct DirectoriesTests {
    @Test func `XDG variables win over HOME`() throws {
        let folders = try UserDirectories(environment: [
            "HOME": "/h", "XDG_STATE_HOME": "/s", "XDG_RUNTIME_DIR": "/r", "XDG_CACHE_HOME": "relative",
        ])
        #expect(folders.state == "/s/espurr")
        #expect(folders.cache == "/h/.cache/espurr")
        #expect(folders.configuration == "/h/.config/espurr")
        #expect(folders.runtime == "/r/espurr")
    }

    @Test func `without HOME the failure names the variable`() {
        let failure = #expect(throws: CommandFailure.self) { try UserDirectories(environment: [:]) }
        #expect(failure?.remedy == "set HOME or XDG_STATE_HOME")
    }

    @Test func `a runtime folder that others may write to is refused`() throws {
        let base = FileManager.default.temporaryDirectory.appendingPathComponent("runtime-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: base) }
        try FileManager.default.createDirectory(
            atPath: base + "/espurr", withIntermediateDirectories: true, attributes: [.posixPermissions: 0o777])
        let folders = try UserDirectories(environment: ["HOME": base, "XDG_RUNTIME_DIR": base])
        let failure = #expect(throws: CommandFailure.self) { try folders.prepareRuntime() }
        #expect(failure?.code == "runtime_folder")
    }

    @Test func `a missing runtime folder is made for its user alone`() throws {
        let base = FileManager.default.temporaryDirectory.appendingPathComponent("runtime-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: base) }
        let folders = try UserDirectories(environment: ["HOME": base, "XDG_RUNTIME_DIR": base])
        try folders.prepareRuntime()
        let attributes = try FileManager.default.attributesOfItem(atPath: folders.runtime)
        #expect(attributes[.posixPermissions] as? Int == 0o700)
    }
}

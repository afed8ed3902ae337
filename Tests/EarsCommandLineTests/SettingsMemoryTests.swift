import ControlProtocol
import Foundation
import TestSupport
import Testing

@testable import CommandLineTools
@testable import Ears
@testable import EarsCommandLine

@Suite struct SettingsMemoryTests {
    private let folder: TemporaryFolder
    private let memory: SettingsMemory
    private let environment: [String: String]

    init() throws {
        folder = try TemporaryFolder()
        environment = ["XDG_CACHE_HOME": folder.path, "HOME": "/nonexistent"]
        memory = SettingsMemory(cacheFolder: try UserDirectories(environment: environment).cache)
    }

    @Test func `settings complete by name, and then by what they can be`() throws {
        memory.remember(try firmware("1.0.0"))
        #expect(names(.settings, []) == ["brightness", "effect", "motion"])
        #expect(names(.settings, ["effect"]) == ["brightness", "motion"])
        #expect(names(.settingsWithValues, []) == ["effect", "motion"])
        #expect(names(.settingsWithValues, ["effect"]) == ["aurora", "comet"])
        #expect(names(.settingsWithValues, ["effect", "comet"]) == ["motion"])
        #expect(names(.settingsWithValues, ["effect", "comet", "motion"]) == ["on", "off"])
        #expect(names(.settingsWithValues, ["nonsense"]) == [])
    }

    @Test func `the firmware that was spoken to last counts`() throws {
        memory.remember(try firmware("1.0.0"))
        memory.remember(try firmware("2.0.0", effects: ["ripple"]))
        #expect(names(.settingsWithValues, ["effect"]) == ["ripple"])
        memory.remember(try firmware("1.0.0"))
        #expect(names(.settingsWithValues, ["effect"]) == ["aurora", "comet"])
    }

    @Test func `what is there already is not written again`() throws {
        memory.remember(try firmware("1.0.0"))
        let file = folder.path + "/espurr/settings/" + (try #require(try files().first))
        let inode = try #require(FileManager.default.attributesOfItem(atPath: file)[.systemFileNumber] as? Int)
        memory.remember(try firmware("1.0.0"))
        // The order of a document's members is another in each process, unless it is told to be one.
        let text = try String(contentsOf: URL(filePath: file), encoding: .utf8)
        let start = #"{"schema":"espurr.settings-memory\/1","settings":[{"isReadOnly":true,"name":"brightness","title""#
        #expect(text.hasPrefix(start))
        #expect(try FileManager.default.attributesOfItem(atPath: file)[.systemFileNumber] as? Int == inode)
    }

    @Test func `a few firmwares are kept, not every one`() throws {
        for number in 0..<20 { memory.remember(try firmware("1.\(number).0")) }
        #expect(try files().count == SettingsMemory.firmwareLimit)
    }

    @Test(arguments: ["../../escape", "1.0.0/x", "", ".hidden", "1.0.0\n", String(repeating: "1", count: 32)])
    func `a version that is no simple name is not kept`(version: String) throws {
        memory.remember(try firmware(version))
        #expect(((try? FileManager.default.subpathsOfDirectory(atPath: folder.path)) ?? []) == [])
    }

    @Test func `more than a file may hold is not kept`() throws {
        let name = String(repeating: "a", count: 2000)
        memory.remember(try firmware("1.0.0", effects: (0..<100).map { name + "\($0)" }))
        #expect(names(.settings, []) == [])
    }

    @Test(arguments: ["", "{", #"{"schema":"another/1","settings":[]}"#, #"{"schema":"espurr.settings-memory/1"}"#])
    func `a file that is no memory completes nothing`(text: String) throws {
        memory.remember(try firmware("1.0.0"))
        let file = folder.path + "/espurr/settings/" + (try #require(try files().first))
        try Data(text.utf8).write(to: URL(filePath: file))
        #expect(names(.settings, []) == [])
    }

    @Test func `the values that settings have are not in it`() throws {
        memory.remember(try firmware("1.0.0"))
        let file = folder.path + "/espurr/settings/" + (try #require(try files().first))
        let text = try String(contentsOf: URL(filePath: file), encoding: .utf8)
        #expect(text.contains("brightness") && !text.contains("77") && !text.contains("espurr-7A3F"))
    }

    private func names(_ subject: Completion.Subject, _ operands: [String]) -> [String] {
        SettingsMemory.candidates(subject, operands, environment).map(\.word)
    }

    private func files() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path + "/espurr/settings")
    }

    private func firmware(_ version: String, effects: [String] = ["aurora", "comet"]) throws -> DescribedFirmware {
        let device = DeviceInformation(
            family: "v2-16m", chip: "ESP32-S3", firmwareVersion: version, name: "espurr-7A3F", hardwareRevision: "A",
            applicationProtocol: 2)
        return DescribedFirmware(
            device: device,
            settings: [
                try setting("brightness", .int32(77), .integer(minimum: 0, maximum: 100, step: 1), flags: .readOnly),
                try setting("effect", .string(effects[0]), .enumeration(choices: effects)),
                try setting("motion", .boolean(true), .boolean),
                try setting("microphone", .boolean(true), .boolean, capability: "audio"),
            ])
    }

    private func setting(
        _ name: String, _ value: PropertyScalar, _ kind: SettingKind, capability: String = "",
        flags: PropertyFlags = []
    ) throws -> Setting {
        try Setting(
            PropertyInfo(name: name, type: value.type, flags: flags, value: value.encoded()), index: 0,
            descriptor: SettingDescriptor(setting: name, title: name, capability: capability, kind: kind),
            capabilities: Capabilities(names: []))
    }
}

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
        try remember()
        #expect(names(.settings, []) == ["brightness", "effect", "effect.comet", "motion", "palette"])
        #expect(names(.settings, ["effect"]) == ["brightness", "effect.comet", "motion", "palette"])
        #expect(names(.settingsWithValues, []) == ["effect", "effect.comet", "motion", "palette"])
        #expect(names(.settingsWithValues, ["effect"]) == ["aurora", "comet"])
        #expect(names(.settingsWithValues, ["effect", "comet"]) == ["effect.comet", "motion", "palette"])
        #expect(names(.settingsWithValues, ["effect", "comet", "motion"]) == ["on", "off"])
        #expect(names(.settingsWithValues, ["nonsense"]) == [])
    }

    @Test func `an effect completes by its name, and then by the parameters that it has and are not given yet`() throws
    {
        try remember()
        #expect(names(.effect, []) == ["aurora", "comet"])
        let all = ["speed=", "tail=on", "tail=off", "shape=long", "shape=short", "colour="]
        #expect(names(.effect, ["comet"]) == all)
        #expect(names(.settingsWithValues, ["effect.comet"]) == all)
        #expect(names(.effect, ["comet", "shape=long", "tail=on"]) == ["speed=", "colour="])
        // Described nowhere, or not there at all.
        #expect(names(.effect, ["aurora"]) == [])
        #expect(names(.effect, ["nonsense"]) == [])
    }

    @Test func `help says what a setting can be as it was remembered, and where it is shown if it was not`() throws {
        let unknown = { (name: String) in
            "What “\(name)” can be is not known here: espurr-ctl get \(name) --verbose asks the ears."
        }
        #expect(SettingsMemory.helpLines(on: ["motion"], environment: environment) == [unknown("motion")])
        #expect(SettingsMemory.helpLines(on: [], environment: environment) == [])
        try remember()
        let lines = SettingsMemory.helpLines(
            on: ["effect", "brightness", "microphone", "effect.comet"], environment: environment)
        #expect(
            lines == [
                "As the ears that were spoken to last said it:", "  effect  aurora, comet", "  brightness  (read only)",
                "  effect.comet  speed=  1 to 10", "  effect.comet  tail=  on or off",
                "  effect.comet  shape=  long, short", "  effect.comet  colour=  RRGGBB", unknown("microphone"),
            ])
    }

    @Test
    func `every word that completes a palette is one that changes it, and every parameter's word one of the effect`()
        throws
    {
        let words = ["smooth", "bands", "cycling=on", "cycling=off", "glow="]
        #expect(PaletteText.words == words)
        try remember()
        #expect(names(.settingsWithValues, ["palette"]) == words)
        let plain = Palette(stops: [PaletteStop(position: 0, colour: 1)], hueCycling: true)
        for word in words {
            let typed = word.hasSuffix("=") ? word + "5" : word
            let changed = try PaletteText.palette([typed], over: plain)
            #expect(changed.inWords.split(separator: " ").map(String.init).contains(typed))
        }
        let table = try #require(table(effects: ["comet"]).settings)
        let comet = try #require(table.first { $0.name == "effect.comet" })
        for (word, value) in [("speed=", "7"), ("tail=on", ""), ("shape=short", ""), ("colour=", "0080FF")] {
            #expect(comet.parameterWords().contains { $0.word == word })
            _ = try comet.parse(word + value)
        }
    }

    @Test func `the firmware that was spoken to last counts`() throws {
        try remember()
        try remember(effects: ["ripple"])
        #expect(names(.settingsWithValues, ["effect"]) == ["ripple"])
        try remember()
        #expect(names(.settingsWithValues, ["effect"]) == ["aurora", "comet"])
    }

    @Test func `what is there already is not written again`() throws {
        try remember()
        let file = folder.path + "/espurr/properties/" + (try #require(try files().first))
        let inode = try #require(FileManager.default.attributesOfItem(atPath: file)[.systemFileNumber] as? Int)
        try remember()
        #expect(try FileManager.default.attributesOfItem(atPath: file)[.systemFileNumber] as? Int == inode)
    }

    @Test func `a few firmwares are kept, not every one`() throws {
        for number in 0..<20 { try remember(effects: ["effect-\(number)"]) }
        #expect(try files().count == SettingsMemory.tableLimit)
        #expect(names(.settingsWithValues, ["effect"]) == ["effect-19"])
    }

    @Test(arguments: [[], [0xFF], Array("{}".utf8), [0x12, 0x05]] as [[UInt8]])
    func `a file that is no table completes nothing`(bytes: [UInt8]) throws {
        try remember()
        let file = folder.path + "/espurr/properties/" + (try #require(try files().first))
        try Data(bytes).write(to: URL(filePath: file))
        #expect(names(.settings, []) == [])
    }

    @Test func `a file of another name is none of it`() throws {
        try remember()
        try Data().write(to: URL(filePath: folder.path + "/espurr/properties/notes"))
        #expect(names(.settings, []) == ["brightness", "effect", "effect.comet", "motion", "palette"])
    }

    @Test func `the values that settings have are not in it`() throws {
        try remember()
        let file = folder.path + "/espurr/properties/" + (try #require(try files().first))
        let bytes = try Data(contentsOf: URL(filePath: file))
        #expect(bytes.range(of: Data("brightness".utf8)) != nil)
        #expect(bytes.range(of: Data(PropertyScalar.int32(7_777_777).encoded())) == nil)
        #expect(bytes.range(of: Data("espurr-7A3F".utf8)) == nil)
    }

    @Test func `what is recalled is what was kept, and forgotten what is to be forgotten`() throws {
        let table = table(effects: ["aurora"]).encoded()
        let hash = PropertyTableHash(of: table)
        #expect(memory.recall(hash) == nil)
        memory.keep(table, as: hash)
        #expect(memory.recall(hash) == table)
        memory.forget(hash)
        #expect(memory.recall(hash) == nil)
    }

    private func names(_ subject: Completion.Subject, _ operands: [String]) -> [String] {
        SettingsMemory.candidates(subject, operands, environment).map(\.word)
    }

    private func files() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path + "/espurr/properties")
    }

    private func remember(effects: [String] = ["aurora", "comet"]) throws {
        let table = table(effects: effects).encoded()
        memory.keep(table, as: PropertyTableHash(of: table))
    }

    private func table(effects: [String]) -> PropertyTable {
        let device = DeviceInformation(
            family: "v2-16m", chip: "ESP32-S3", firmwareVersion: "1.0.0", name: "espurr-7A3F", hardwareRevision: "A",
            applicationProtocol: 2)
        let settings: [[PropertyInfo]] = [
            setting(
                "brightness", .int32(7_777_777), .integer(minimum: 0, maximum: 100, step: 1), flags: .readOnly),
            setting("effect", .string(effects[0]), .enumeration(choices: effects)),
            setting("effect.comet", nil, .effect(parameters: Self.cometParameters)),
            setting("motion", .boolean(true), .boolean),
            setting("palette", nil, .palette(maximumStops: 8, maximumNameBytes: 24)),
            setting("microphone", .boolean(true), .boolean, capability: "audio"),
        ]
        return PropertyTable(
            [PropertyInfo(name: "device", type: .message, flags: .readOnly, value: device.encoded())]
                + settings.flatMap { $0 })
    }

    private static let cometParameters = [
        EffectParameter(name: "speed", title: "Speed", kind: .integer(minimum: 1, maximum: 10, step: 1)),
        EffectParameter(name: "tail", title: "Tail", kind: .boolean),
        EffectParameter(name: "shape", title: "Shape", kind: .enumeration(choices: ["long", "short"])),
        EffectParameter(name: "colour", title: "Colour", kind: .colour),
        EffectParameter(name: "loudness", title: "Loudness", capability: "audio", kind: .boolean),
    ]

    private func setting(
        _ name: String, _ value: PropertyScalar?, _ kind: SettingKind, capability: String = "",
        flags: PropertyFlags = []
    ) -> [PropertyInfo] {
        let descriptor = SettingDescriptor(setting: name, title: name, capability: capability, kind: kind)
        return [
            PropertyInfo(name: name, type: value?.type ?? .message, flags: flags, value: value?.encoded() ?? []),
            PropertyInfo(
                name: name + ".descriptor", type: .message, flags: .readOnly, value: descriptor.encoded()),
        ]
    }
}

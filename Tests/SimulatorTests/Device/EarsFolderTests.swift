import Foundation
import TestSupport
import Testing

@testable import Simulator

@Suite struct EarsFolderTests {
    private static let configuration = EarsConfiguration(family: .esp32, address: "C0:FF:EE:00:AB:CD", seed: 1)

    @Test func `ears that are kept are the same when they are taken up again`() throws {
        let folder = try TemporaryFolder()
        var link = TestLink()
        _ = try link.install(TestImage.ears(TestImage.newVersion))
        link.ears.powerOff(at: link.now)
        let kept = EarsFolder(path: folder.path + "/ears/one")
        try kept.save(link.ears)
        var again = try kept.load(Self.configuration)
        #expect(again.flash == link.ears.flash)
        #expect(again.memory == link.ears.memory)
        again.powerOn(at: .zero)
        #expect(again.advance(to: .seconds(2)).contains(.serialLine("boot: ota_1, espurr-esp32 1.1.0")))
        #expect(try FileManager.default.contentsOfDirectory(atPath: kept.path).sorted() == ["ears.json", "flash.bin"])
    }

    @Test func `a folder that holds nothing gives fresh ears`() throws {
        let folder = try TemporaryFolder()
        let ears = try EarsFolder(path: folder.path).load(Self.configuration)
        #expect(ears.memory == RetainedMemory())
        #expect(ears.flash == .factory(of: Self.configuration))
    }

    @Test func `ears of another family are not taken up`() throws {
        let folder = try TemporaryFolder()
        try EarsFolder(path: folder.path).save(TestLink().ears)
        let other = EarsConfiguration(family: .s3, address: "C0:FF:EE:00:AB:CD", seed: 1)
        #expect(throws: EarsFolderError.otherFamily(.esp32)) { try EarsFolder(path: folder.path).load(other) }
    }

    @Test func `damaged files are named`() throws {
        let folder = try TemporaryFolder()
        let kept = EarsFolder(path: folder.path)
        try kept.save(TestLink().ears)
        let flash = URL(fileURLWithPath: folder.path + "/flash.bin")
        let whole = try Data(contentsOf: flash)
        try whole.dropLast().write(to: flash)
        #expect(throws: EarsFolderError.damaged(path: flash.path)) { try kept.load(Self.configuration) }
        try (whole + [0]).write(to: flash)
        #expect(throws: EarsFolderError.damaged(path: flash.path)) { try kept.load(Self.configuration) }
        try FileManager.default.removeItem(at: flash)
        #expect(throws: EarsFolderError.unreadable(path: flash.path)) { try kept.load(Self.configuration) }
        let document = URL(fileURLWithPath: folder.path + "/ears.json")
        try Data("{}".utf8).write(to: document)
        #expect(throws: EarsFolderError.damaged(path: document.path)) { try kept.load(Self.configuration) }
    }

    @Test func `what changes while they run is kept in its place, and nothing else is written`() throws {
        let folder = try TemporaryFolder()
        var link = TestLink()
        let kept = EarsFolder(path: folder.path)
        try kept.save(link.ears)
        let before = link.ears.memory
        link.ears.flash.keptChanges()
        _ = try link.install(TestImage.ears(TestImage.newVersion))
        link.ears.memory.bootCount += 1
        try kept.keepChanges(of: &link.ears, kept: before)
        #expect(link.ears.flash.changedSectors == [])
        let again = try kept.load(Self.configuration)
        #expect(again.flash == link.ears.flash)
        #expect(again.memory == link.ears.memory && again.memory != before)
    }

    @Test func `what could not be kept counts as changed`() throws {
        let folder = try TemporaryFolder()
        var link = TestLink()
        let kept = EarsFolder(path: folder.path + "/gone")
        link.ears.flash.eraseSector(at: 0)
        let changed = link.ears.flash.changedSectors
        #expect(throws: EarsFolderError.self) { try kept.keepChanges(of: &link.ears, kept: nil) }
        #expect(link.ears.flash.changedSectors == changed && !changed.isEmpty)
    }
}

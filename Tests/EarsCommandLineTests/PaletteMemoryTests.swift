import ControlProtocol
import Foundation
import TestSupport
import Testing

@testable import Ears
@testable import EarsCommandLine

/// What completes the verbs of the palettes.
@Suite struct PaletteMemoryTests {
    private let folder: TemporaryFolder
    private let memory: PaletteMemory

    init() throws {
        folder = try TemporaryFolder()
        memory = PaletteMemory(cacheFolder: folder.path + "/espurr")
    }

    private func keep(saved: [String] = ["Abend", "at the sea"], builtIn: [String] = ["embers"]) {
        let palette = Palette(stops: [PaletteStop(position: 0, colour: 0)])
        func named(_ name: String) -> NamedPalette { NamedPalette(name: name, palette: palette) }
        memory.keep(
            Palettes(
                current: palette, saved: saved.map(named), builtIn: builtIn.map(named), places: 4, maximumStops: 8,
                maximumNameBytes: 24))
    }

    @Test func `names complete each verb that takes one, built-in ones where they can be meant`() {
        #expect(memory.candidates(["show"]) == [])
        keep()
        #expect(memory.candidates(["show"]) == ["Abend", "at the sea", "embers"])
        #expect(memory.candidates(["restore"]) == ["Abend", "at the sea", "embers"])
        for verb in ["save", "rename", "delete"] { #expect(memory.candidates([verb]) == ["Abend", "at the sea"]) }
        #expect(memory.candidates(["show", "Abend"]) == [])
        #expect(memory.candidates(["list"]) == [])
        #expect(memory.candidates(["nonsense"]) == [])
        #expect(memory.candidates([]) == [])
        #expect(memory.candidates(["set", "bands"]) == PaletteText.words)
    }

    @Test func `what a command did to them is known without another reading`() {
        keep()
        memory.keep(.save(name: "Morgen", replace: false, palette: nil))
        memory.keep(.rename(name: "Abend", newName: "Nacht"))
        memory.keep(.delete(name: "at the sea"))
        memory.keep(.restore(name: "embers"))
        #expect(memory.names() == PaletteMemory.Names(saved: ["Nacht", "Morgen"], builtIn: ["embers"]))
        memory.keep(.save(name: "Nacht", replace: true, palette: nil))
        #expect(memory.names().saved == ["Morgen", "Nacht"])
    }

    @Test func `a name with a line's end in it is left out, and a file of something else completes nothing`() throws {
        keep(saved: ["good", "bad\nbuilt-in worse"])
        #expect(memory.names() == PaletteMemory.Names(saved: ["good"], builtIn: ["embers"]))
        for bytes in [Data([0xFF, 0x0A, 0x20]), Data(count: PaletteMemory.limit + 1), Data("saved".utf8)] {
            try bytes.write(to: URL(filePath: folder.path + "/espurr/palettes"))
            #expect(memory.candidates(["show"]) == [])
        }
    }

    @Test func `where it cannot be written nothing is kept, and nothing fails`() {
        let nowhere = PaletteMemory(cacheFolder: "/proc/espurr")
        nowhere.keep(.save(name: "Abend", replace: false, palette: nil))
        #expect(nowhere.names() == PaletteMemory.Names())
    }
}

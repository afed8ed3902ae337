import ControlProtocol
import Testing

@testable import Simulator

@Suite struct PaletteTests {
    private static let two = Palette(stops: [
        PaletteStop(position: 0, colour: 0xFF_0000), PaletteStop(position: 255, colour: 0xFF),
    ])

    @Test func `a palette is saved, renamed, restored and deleted, and the saved ones survive a boot`() throws {
        var link = TestLink()
        #expect(try link.change([("palette", Self.two.encoded())]) == nil)
        link.wait(.seconds(1))
        #expect(try link.palette(.save(name: "Abend", replace: false, palette: nil)) == nil)
        #expect(try link.palette(.rename(name: "Abend", newName: "Morgen")) == nil)
        #expect(try link.palette(.restore(name: "Ocean")) == nil)
        #expect(try link.palette().stops.count == 3)
        try link.restart()
        #expect(try link.savedNames() == ["Morgen"] + [String](repeating: "", count: 7))
        #expect(try link.palette(.restore(name: "Morgen")) == nil)
        #expect(try link.palette() == Self.two)
        #expect(try link.palette(.delete(name: "Morgen")) == nil)
        #expect(try link.savedNames().allSatisfy(\.isEmpty))
        #expect(try link.palette() == Self.two)
    }

    @Test func `a palette of its own is saved, and the one in force stays`() throws {
        var link = TestLink()
        let current = try link.palette()
        #expect(try link.palette(.save(name: "Abend", replace: false, palette: Self.two)) == nil)
        #expect(try link.palette() == current)
        #expect(try NamedPalette(decoding: link.property("palette.saved.0").value).palette == Self.two)
    }

    @Test(arguments: [
        (PaletteCommand.save(name: "", replace: false, palette: nil), SettingRefusalReason.nameEmpty),
        (.save(name: "a name of twenty-five byte", replace: false, palette: nil), .nameTooLong),
        (.save(name: "Taken", replace: false, palette: nil), .nameTaken),
        (.save(name: "Ocean", replace: true, palette: nil), .nameTaken),
        (.save(name: " Abend", replace: false, palette: nil), .nameNotAllowed),
        (.save(name: "A\u{1B}[2J", replace: false, palette: nil), .nameNotAllowed),
        (.save(name: "Abend", replace: false, palette: Palette(stops: [])), .outOfRange),
        (.rename(name: "Nowhere", newName: "Abend"), .notFound), (.rename(name: "Ocean", newName: "Lake"), .readOnly),
        (.rename(name: "Taken", newName: "Neon"), .nameTaken), (.rename(name: "Taken", newName: ""), .nameEmpty),
        (.rename(name: "Taken", newName: "Other"), .nameTaken), (.delete(name: "Nowhere"), .notFound),
        (.delete(name: "Ocean"), .readOnly), (.restore(name: "Nowhere"), .notFound),
    ])
    func `a command that is refused changes nothing`(command: PaletteCommand, reason: SettingRefusalReason) throws {
        var link = TestLink()
        #expect(try link.palette(.save(name: "Taken", replace: false, palette: nil)) == nil)
        #expect(try link.palette(.save(name: "Other", replace: false, palette: nil)) == nil)
        let (names, current, revision) = (try link.savedNames(), try link.palette(), try link.state().revision)
        #expect(try link.palette(command) == reason)
        #expect(try link.savedNames() == names)
        #expect(try link.palette() == current)
        #expect(try link.state().revision == revision)
    }

    @Test func `eight places, and no space for a ninth; a saved one can still be replaced`() throws {
        var link = TestLink()
        for number in 1...8 {
            #expect(try link.palette(.save(name: "\(number)", replace: false, palette: nil)) == nil)
        }
        #expect(try link.palette(.save(name: "9", replace: false, palette: nil)) == .noSpace)
        #expect(try link.palette(.save(name: "8", replace: true, palette: Self.two)) == nil)
        #expect(try NamedPalette(decoding: link.property("palette.saved.7").value).palette == Self.two)
    }

    @Test(arguments: [
        Palette(stops: []), Palette(stops: [PaletteStop(position: 256, colour: 0)]),
        Palette(stops: [PaletteStop(position: 9, colour: 0), PaletteStop(position: 9, colour: 1)]),
        Palette(stops: [PaletteStop(position: 0, colour: 0x100_0000)]),
        Palette(stops: [PaletteStop(position: 0, colour: 0)], blend: .unknown(2)),
        Palette(stops: [PaletteStop(position: 0, colour: 0)], backgroundGlow: 101),
        Palette(stops: (0...16).map { PaletteStop(position: $0, colour: 0) }),
    ])
    func `a palette that is none is out of range`(palette: Palette) throws {
        var link = TestLink()
        #expect(try link.change([("palette", palette.encoded())]) == .outOfRange)
    }
}

@Suite struct EffectTests {
    private static func parameters(_ values: [(String, ParameterValue)]) -> [UInt8] {
        EffectParameters(values: values.map { EffectParameterValue(name: $0.0, value: $0.1) }).encoded()
    }

    @Test func `an effect and its parameters are one change, and what is not named keeps its value`() throws {
        var link = TestLink()
        let change = [
            ("effect", Array("comet".utf8)), ("effect.comet", Self.parameters([("speed", .integer(9))])),
        ]
        #expect(try link.change(change) == nil)
        link.wait(.seconds(1))
        let comet = try EffectParameters(decoding: link.property("effect.comet").value)
        #expect(
            comet["speed"] == .integer(9) && comet["tail"] == .choice("medium") && comet["mirror"] == .boolean(true))
        #expect(try link.property("effect").value == Array("comet".utf8))
        #expect(try link.state().revision == 1)
        try link.restart()
        #expect(try EffectParameters(decoding: link.property("effect.comet").value) == comet)
    }

    @Test(arguments: [
        ("effect.comet", [("speed", ParameterValue.integer(11))], SettingRefusalReason.outOfRange),
        ("effect.comet", [("speed", .boolean(true))], .outOfRange),
        ("effect.comet", [("tail", .choice("longest"))], .outOfRange),
        ("effect.comet", [("wobble", .integer(1))], .notFound),
        ("effect.ember", [("flicker", .integer(42))], .outOfRange),
        ("effect.solid", [("colour", .colour(0x100_0000))], .outOfRange),
    ])
    func `a parameter that does not fit is refused, with the effect of the same change`(
        setting: String, values: [(String, ParameterValue)], reason: SettingRefusalReason
    ) throws {
        var link = TestLink()
        let change = [("effect", Array("rainbow".utf8)), (setting, Self.parameters(values))]
        #expect(try link.change(change) == reason)
        link.wait(.seconds(1))
        #expect(try link.property("effect").value == Array("aurora".utf8))
    }

    @Test func `what needs a sensor is refused without it, and nothing else is`() throws {
        var link = TestLink([.without(.motion)])
        #expect(try link.change([("effect", Array("tilt".utf8))]) == .capabilityMissing)
        #expect(
            try link.change([("effect.ripple", Self.parameters([("sensitivity", .integer(2))]))]) == .capabilityMissing)
        #expect(try link.change([("effect.ripple", Self.parameters([("speed", .integer(2))]))]) == nil)
    }
}

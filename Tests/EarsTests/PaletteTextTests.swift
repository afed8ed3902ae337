import ControlProtocol
import Ears
import Testing

@Suite struct `A palette in words` {
    private static let current = Palette(
        stops: [PaletteStop(position: 7, colour: 0x01_0203)], blend: .bands, hueCycling: true, backgroundGlow: 12,
        unknownFields: [0x48, 0x05])

    private static func words(_ text: String) -> [String] { text.split(separator: " ").map(String.init) }

    @Test func `reads back what it says, with what it does not know`() throws {
        let words = Self.words(Self.current.inWords)
        #expect(Self.current.inWords == "7:010203 bands cycling=on glow=12")
        #expect(try PaletteText.palette(words, over: Self.current) == Self.current)
    }

    @Test func `keeps what no word changes`() throws {
        let smooth = try PaletteText.palette(["smooth"], over: Self.current)
        #expect(smooth.stops == Self.current.stops && smooth.blend == .smooth && smooth.hueCycling)
        #expect(smooth.unknownFields == Self.current.unknownFields)
        let stops = try PaletteText.palette(["0:ff0000", "255:#00FF00"], over: Self.current)
        #expect(
            stops.stops == [PaletteStop(position: 0, colour: 0xFF_0000), PaletteStop(position: 255, colour: 0xFF00)])
        #expect(stops.backgroundGlow == 12)
    }

    private static let spread: [(Int, [UInt32])] = [
        (1, [0]), (2, [0, 255]), (3, [0, 128, 255]), (4, [0, 85, 170, 255]), (5, [0, 64, 128, 191, 255]),
    ]

    @Test(arguments: spread)
    func `spreads stops without positions evenly`(count: Int, positions: [UInt32]) throws {
        let palette = try PaletteText.palette([String](repeating: "abcdef", count: count), over: Self.current)
        #expect(palette.stops.map(\.position) == positions)
        #expect(palette.stops.allSatisfy { $0.colour == 0xAB_CDEF })
    }

    @Test(arguments: [
        ("red", PaletteFault.unknownWord("red")), ("ff00", .unknownWord("ff00")),
        ("-1:ff0000", .unknownWord("-1:ff0000")),
        ("0:ff0000:1", .unknownWord("0:ff0000:1")), ("0:", .unknownWord("0:")), ("glow", .unknownWord("glow")),
        ("glow=-1", .unknownWord("glow=-1")), ("cycling=maybe", .unknownWord("cycling=maybe")),
        ("smooth=yes", .unknownWord("smooth=yes")), ("ff0000 3:00ff00", .mixedStops), ("", .unknownWord("")),
    ])
    func `refuses what it cannot read`(text: String, fault: PaletteFault) {
        #expect(throws: fault) {
            try PaletteText.palette(text.isEmpty ? [""] : Self.words(text), over: Self.current)
        }
    }
}

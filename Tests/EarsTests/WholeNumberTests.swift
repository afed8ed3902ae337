import ControlProtocol
import Testing
import TestSupport

@testable import Ears

@Suite struct WholeNumberTests {
    @Test(
        arguments: [
            ("40", "%", 40), ("40%", "%", 40), ("-90°", "°", -90), ("300ms", "ms", 300), ("+5", "", 5),
            // A unit that is digits takes none of the number's own.
            ("40", "0", 40),
        ] as [(String, String, Int64)])
    func `a number may have its own unit directly behind it`(text: String, unit: String, number: Int64) {
        #expect(text.wholeNumber(unit: unit) == number)
    }

    @Test(arguments: [
        ("40 %", "%"), ("40%", ""), ("40%%", "%"), ("40°", "%"), ("%", "%"), ("", "%"), ("4.5%", "%"),
        ("99999999999999999999%", "%"),
    ])
    func `nothing else is a number`(text: String, unit: String) {
        #expect(text.wholeNumber(unit: unit) == nil)
    }

    @Test func `a palette's glow is a percentage`() throws {
        let palette = try PaletteText.palette(["ff0000", "glow=40%"], over: Palette(stops: []))
        #expect(palette.backgroundGlow == 40)
    }
}

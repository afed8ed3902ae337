import CommandLineTools
import Testing

@Suite struct ConsoleStyleTests {
    private func style(_ environment: [String: String], isTerminal: Bool = true, columns: Int? = 120) -> Console.Style {
        Console.Style(
            isTerminal: isTerminal, columns: columns,
            environment: ["TERM": "xterm"].merging(environment) { $1 })
    }

    @Test func `a terminal has colour and its own width`() {
        let style = style([:])
        #expect(style.isTerminal && style.hasColour)
        #expect(style.width == 120)
    }

    @Test func `a pipe has neither, and 80 columns`() {
        let style = style([:], isTerminal: false, columns: nil)
        #expect(!style.isTerminal && !style.hasColour)
        #expect(style.width == 80)
    }

    @Test func `lines are made to fit a terminal that says how wide it is, and nothing else`() {
        #expect(style([:]).lineWidth == 120)
        #expect(style(["COLUMNS": "60"]).lineWidth == 60)
        #expect(style(["COLUMNS": "60"], columns: nil).lineWidth == 60)
        #expect(style([:], columns: 0).lineWidth == nil)
        #expect(style([:], isTerminal: false, columns: nil).lineWidth == nil)
        #expect(style(["COLUMNS": "60"], isTerminal: false, columns: nil).lineWidth == nil)
    }

    @Test func `NO_COLOR takes colour alone, an empty one nothing`() {
        #expect(style(["NO_COLOR": "1"]).isTerminal && !style(["NO_COLOR": "1"]).hasColour)
        #expect(style(["NO_COLOR": ""]).hasColour)
    }

    @Test(arguments: ["dumb", ""]) func `a terminal that cannot be steered is not steered`(term: String) {
        #expect(!style(["TERM": term]).isTerminal && !style(["TERM": term]).hasColour)
    }

    @Test(arguments: [("60", 60), ("0", 120), ("x", 120), ("100000", 120)])
    func `COLUMNS wins where it is a width`(columns: String, width: Int) {
        #expect(style(["COLUMNS": columns]).width == width)
    }
}

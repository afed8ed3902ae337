import Testing

@testable import CommandLineTools

@Suite struct WrappingTests {
    @Test func `a line that fits, and one that nobody asked to fit, stays as it is`() {
        let line = "name  value  "
        #expect(line.lines(within: 13) == [line])
        #expect("one two three".lines(within: nil) == ["one two three"])
    }

    @Test func `a long value goes on below its own column`() {
        #expect(
            "capabilities  flashlight, motion, battery, wifi, update-stream".lines(within: 42) == [
                "capabilities  flashlight, motion, battery,", "              wifi, update-stream",
            ])
    }

    @Test func `of several cells it is the last with room to go on below`() {
        let row = "effect          aurora        aurora, breathe, comet, ember"
        #expect(
            row.lines(within: 46) == [
                "effect          aurora        aurora, breathe,", "                              comet, ember",
            ])
        #expect(
            row.lines(within: 40) == [
                "effect          aurora        aurora,", "                breathe, comet, ember",
            ])
    }

    @Test func `a cell behind a long value has no column of its own`() {
        #expect(
            "palette         0:2a0845 96:c03a5b 176:ff7e36 smooth  1 to 16 stops".lines(within: 42) == [
                "palette         0:2a0845 96:c03a5b", "                176:ff7e36 smooth  1 to 16",
                "                stops",
            ])
    }

    @Test func `a sentence goes on deeper than the arrow of what is to be done about it`() {
        #expect(
            "in the way (13): no ears are paired".lines(within: 24) == ["in the way (13): no ears", "    are paired"])
        #expect("  → wait for the end of it".lines(within: 20) == ["  → wait for the end", "    of it"])
    }

    @Test(arguments: [
        ("the choice is “Deep Ocean” now", 22, ["the choice is", "    “Deep Ocean” now"]),
        ("a share that is 40 % of all", 19, ["a share that is", "    40 % of all"]),
        ("to see it use espurr-ctl info", 25, ["to see it use", "    espurr-ctl info"]),
        (
            "the bond: espurr-ctl pair --device 02:E5:50:5C:1A:01 again", 51,
            ["the bond:", "    espurr-ctl pair --device 02:E5:50:5C:1A:01", "    again"]
        ),
    ])
    func `what belongs together is not broken`(line: String, width: Int, broken: [String]) {
        #expect(line.lines(within: width) == broken)
    }

    @Test func `what is together longer than a line is broken at its words`() {
        #expect(
            "now “a name of many words” here".lines(within: 20) == ["now “a name of many", "    words” here"])
    }

    @Test func `a word that fits no line is left to the terminal, where it stands`() {
        let hash = String(repeating: "0123456789abcdef", count: 4)
        #expect("SHA-256        \(hash)".lines(within: 40) == ["SHA-256        \(hash)"])
        #expect(
            "appended hash  \(hash), right".lines(within: 40) == [
                "appended hash  \(hash),", "               right",
            ])
    }

    @Test(arguments: [20, 40, 80]) func `nothing is lost, and no line is longer than it has to be`(width: Int) {
        let line =
            "to know: there are 2 adapters (hci0, hci1): hci0 is used  → --adapter hciN chooses another one of “them all”"
        let lines = line.lines(within: width)
        #expect(lines.count > 1)
        #expect(lines.allSatisfy { $0.count <= width })
        let words = lines.flatMap { $0.split(separator: " ") }
        #expect(words == line.split(separator: " "))
    }

    @Test(arguments: [32, 40, 60, 80]) func `no line of a help is longer than the terminal`(width: Int) {
        let usage = Usage(
            "install", "put firmware on the ears, and follow it to its end",
            operands: Operands("[VERSION|FILE]", 0...1),
            options: [Option("--passkey-from", value: "FD|FILE", "where the six digits are read"), .help],
            details: ["A paragraph that is somewhat longer than most terminals would be wide, if they were old."])
        let lines = usage.help(program: "espurr-ota", width: width, more: ["  brightness  0 to 100 % in steps of 5"])
            .split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.allSatisfy { $0.count <= width })
        let text = lines.joined(separator: " ").split(separator: " ").joined(separator: " ")
        #expect(text.contains("--passkey-from FD|FILE where the six digits are read"))
        #expect(text.hasSuffix("brightness 0 to 100 % in steps of 5"))
    }

    @Test func `help is broken by the same rule, at the margin`() {
        #expect(
            wrap("First espurr-ctl pair and then more", width: 20) == ["First", "espurr-ctl pair and", "then more"])
        #expect(wrap("", width: 20) == [])
    }
}

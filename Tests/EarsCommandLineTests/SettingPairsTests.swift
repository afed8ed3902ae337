import CommandLineTools
import Ears
import EarsCommandLine
import Testing

@Suite struct SettingPairsTests {
    @Test func `names and values in turn`() throws {
        let pairs = try SettingPairs.read(["brightness", "40", "name", "%"])
        #expect(pairs.map(\.name) == ["brightness", "name"])
        #expect(pairs.map(\.input) == [.text("40"), .text("%")])
    }

    @Test(arguments: [
        ["brightness", "40", "%"], ["brightness", "40", "%", "power", "on"], ["brightness", "40", "%", "power"],
    ])
    func `a unit that stands alone is met with the command without it`(words: [String]) {
        let failure = #expect(throws: CommandFailure.self) { try SettingPairs.read(words) }
        #expect(failure?.status == .usage)
        #expect(failure?.cause == "“%” is no setting's name")
        #expect(failure?.remedy == "a number is written without its unit: espurr-ctl set brightness 40")
    }

    @Test func `a last word behind a number may be its unit, or a name without a value`() {
        let unit = #expect(throws: CommandFailure.self) { try SettingPairs.read(["fade", "300", "ms"]) }
        #expect(unit?.cause == "“ms” has no value")
        #expect(unit?.remedy == "a number is written without its unit: espurr-ctl set fade 300")
        let name = #expect(throws: CommandFailure.self) { try SettingPairs.read(["power", "on", "name"]) }
        #expect(name?.cause == "“name” has no value")
        #expect(name?.remedy == nil)
    }

    @Test func `of an effect a unit that stands alone is met with how it is written`() {
        let lone = CommandFailure(SettingError(setting: "effect.comet", reason: .notAnAssignment("%")))
        #expect(lone.remedy == "a number's unit is left out, or stands directly behind it")
        let word = CommandFailure(SettingError(setting: "effect.comet", reason: .notAnAssignment("fast")))
        #expect(word.remedy == "a parameter and its value are one word, as in speed=3")
    }
}

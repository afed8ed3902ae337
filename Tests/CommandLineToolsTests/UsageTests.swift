import CommandLineTools
import Testing

@Suite struct UsageTests {
    static let family = Option("--family", short: "-f", value: "F", "board family")
    static let fault = Option("--fault", value: "NAME", repeatable: true, "a fault")
    let usage = Usage(
        "install", "put firmware on the ears", operands: Operands("[FILE]", 0...1),
        options: [family, fault, .yes, .help])

    @Test(arguments: [["--family", "s3"], ["--family=s3"], ["-f", "s3"], ["x.bin", "-f=s3"]])
    func `a value is taken in each of its forms`(words: [String]) throws {
        #expect(try usage.parse(words, program: "espurr-x").value(of: Self.family) == "s3")
    }

    @Test func `a repeatable option keeps its order`() throws {
        #expect(
            try usage.parse(["--fault", "a", "--fault=b"], program: "espurr-x").values(of: Self.fault) == ["a", "b"])
    }

    @Test func `options end at two dashes`() throws {
        let parsed = try usage.parse(["--", "--yes"], program: "espurr-x")
        #expect(parsed.operands == ["--yes"])
        #expect(!parsed.has(.yes))
    }

    @Test func `a negative number and a lone dash are operands`() throws {
        #expect(try usage.parse(["-5"], program: "espurr-x").operands == ["-5"])
        #expect(try usage.parse(["-"], program: "espurr-x").operands == ["-"])
    }

    @Test(arguments: [
        (["--famly", "s3"], "no option “--famly” for “install”"),
        (["--yes=1"], "“--yes” takes no value"),
        (["--family"], "“--family” needs a value: --family F"),
        (["-f", "a", "--family", "b"], "“--family” is given twice"),
        (["a", "b"], "“install” takes [FILE] and no more"),
    ])
    func `bad usage is told by its cause`(words: [String], cause: String) {
        let failure = #expect(throws: CommandFailure.self) { try usage.parse(words, program: "espurr-x") }
        #expect(failure?.cause == cause)
        #expect(failure?.status == .usage)
    }

    @Test(arguments: [["a", "b"], ["--nothing-like-it"]])
    func `where help is, is said with the program's name`(words: [String]) {
        let failure = #expect(throws: CommandFailure.self) { try usage.parse(words, program: "espurr-x") }
        #expect(failure?.remedy == "see “espurr-x install --help”")
    }

    @Test func `a mistyped option is met with the nearest`() {
        let failure = #expect(throws: CommandFailure.self) { try usage.parse(["--famly", "s3"], program: "espurr-x") }
        #expect(failure?.remedy == "did you mean “--family”?")
    }

    @Test func `an option value may be empty and may hold an equals sign`() throws {
        #expect(try usage.parse(["--family="], program: "espurr-x").value(of: Self.family) == "")
        #expect(try usage.parse(["--family=a=b"], program: "espurr-x").value(of: Self.family) == "a=b")
    }
}

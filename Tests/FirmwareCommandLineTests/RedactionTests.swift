import CommandLineTools
import Testing

@testable import FirmwareCommandLine

@Suite struct RedactionTests {
    private let redaction = Redaction(["F0:00:00:00:00:0A", "Jane's ears", "jane", "desk.example", "x"])

    @Test(arguments: [
        ("F0:00:00:00:00:0A", "(removed)"), ("dev_f0_00_00_00_00_0a/service", "dev_(removed)/service"),
        ("/dev/F0_00_00_00_00_0A/", "/dev/(removed)/"), ("f000000000 0a", "f000000000 0a"),
        ("f0000000000a", "(removed)"), ("Jane's ears are on", "(removed) are on"), ("JANE", "(removed)"),
        ("janet and ejane", "janet and ejane"), ("jane@desk.example.", "(removed)@(removed)."),
        ("x", "x"), ("", ""), ("11:22:33:44:55:66", "(removed)"), ("11-22-33-44-55-66!", "(removed)!"),
        ("11:22:33-44:55:66", "11:22:33-44:55:66"), ("11:22:33:44:55", "11:22:33:44:55"),
        ("0011:22:33:44:55:66:77", "00(removed):77"),
    ])
    func `names and addresses are taken out, and words that hold them stay`(text: String, wanted: String) {
        #expect(redaction(text) == wanted)
    }

    @Test func `of a document the values are gone through, at any depth`() {
        let document = JSON.object([("jane", .array([.string("jane"), .object([("a", .string("jane!"))])]))])
        #expect(redaction(document).text == #"{"jane":["(removed)",{"a":"(removed)!"}]}"#)
    }

    @Test func `every address goes, known or not`() {
        #expect(Redaction([])("at 02:E5:50:5C:1A:01") == "at (removed)")
    }
}

@Suite struct SystemDescriptionTests {
    @Test(arguments: [
        ("NAME=Debian\nPRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\n", "Debian GNU/Linux 12 (bookworm)"),
        ("PRETTY_NAME='Arch Linux'", "Arch Linux"), ("PRETTY_NAME=Void", "Void"), ("PRETTY_NAME=\"", "\""),
    ])
    func `a distribution says what it is called`(file: String, name: String) {
        #expect(SystemDescription.prettyName(in: file) == name)
        #expect(SystemDescription.prettyName(in: "NAME=x") == nil)
    }
}

import ControlProtocol
import Ears
import TestSupport
import Testing

@Suite struct `The version document` {
    private func parse(_ text: String) throws(UnsupportedEars) -> VersionDocument {
        try VersionDocument(parsing: Array(text.utf8))
    }

    @Test func `limits are read by the endpoints' names, and a missing one is the smallest stock build's`() throws {
        let document = try parse(
            #"""
            {"local_ctrl":{"ver":"v1.0","sec_ver":0,"sec_patch_ver":0},
             "espurr":{"protocol":2,"mode":"recovery","limits":{"espurr/update":512,"maker/other":9}}}
            """#)
        #expect(document.mode == .recovery)
        #expect(document.requestLimit(of: .update) == 512)
        #expect(document.requestLimit(of: .control) == 257)
    }

    @Test func `members that are not known are ignored, whatever they hold`() throws {
        let document = try parse(
            #"""
            {"x":[null,true,false,-1.5e+3,"\u00e9\ud83d\ude00\n"],"local_ctrl":{"ver":"v1.0","sec_ver":0,"y":{}},
             "espurr":{"protocol":2,"mode":"normal","z":18446744073709551616}}
            """#)
        #expect(document.mode == .normal)
    }

    @Test(arguments: [
        ("[]", VersionDocumentFault.wrongType(member: "local_ctrl")),
        ("", .syntax(offset: 0)),
        ("{} x", .syntax(offset: 3)),
        (#"{"a":1,"a":2}"#, .duplicateMember("a")),
        (#"{"a":01}"#, .syntax(offset: 5)),
        (#"{"a":"\ud800"}"#, .syntax(offset: 12)),
        (#"{"a":"\x"}"#, .syntax(offset: 8)),
        ("{\"a\":\"\n\"}", .syntax(offset: 6)),
        (#"{"a":tru}"#, .syntax(offset: 5)),
        (String(repeating: "[", count: 9), .tooDeep),
        ("[" + String(repeating: "1,", count: 130) + "1]", .tooManyValues),
        (String(repeating: " ", count: 513), .tooLong(bytes: 513)),
        (
            #"{"local_ctrl":{"ver":"v1.0","sec_ver":0},"espurr":{"protocol":2,"mode":"normal","limits":{"espurr/update":513}}}"#,
            .wrongType(member: "espurr/update")
        ),
        (#"{"local_ctrl":{"ver":"v1.0","sec_ver":"0"}}"#, .wrongType(member: "sec_ver")),
    ])
    func `what is not bounded JSON of this form is refused`(text: String, fault: VersionDocumentFault) {
        #expect(throws: UnsupportedEars.versionDocument(fault)) { try parse(text) }
    }

    @Test func `bytes that are not UTF-8 are refused`() {
        #expect(throws: UnsupportedEars.versionDocument(.notUTF8)) {
            try VersionDocument(parsing: [0x22, 0xC3, 0x28, 0x22])
        }
    }

    /// A document that is changed at random is refused, or read as the same mode: it never stops the process.
    @Test func `mutated documents are read or refused`() {
        var random = SeededRandom(seed: 20)
        let document = Array(FakeEars.version.utf8)
        var outcomes: Set<Bool> = []
        for _ in 0..<20_000 {
            var bytes = document
            for _ in 0..<Int.random(in: 1...4, using: &random) { bytes.mutate(using: &random) }
            let read = try? VersionDocument(parsing: bytes)
            #expect(read == nil || read?.requestLimit(of: .update) == 257)
            outcomes.insert(read == nil)
        }
        #expect(outcomes == [true, false])
    }
}

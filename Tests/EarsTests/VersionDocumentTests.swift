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
        "[]", "", "{} x", #"{"a":01}"#, #"{"local_ctrl":{"ver":"v1.0","sec_ver":"0"}}"#,
        #"{"local_ctrl":{"ver":"v1.0"}}"#,
        #"{"local_ctrl":{"ver":"v1.0","sec_ver":0},"espurr":{"protocol":2}}"#,
        #"{"local_ctrl":{"ver":"v1.0","sec_ver":0},"espurr":{"protocol":"2","mode":"normal"}}"#,
        #"{"local_ctrl":{"ver":"v1.0","sec_ver":0},"espurr":{"protocol":2,"mode":"normal","limits":{"espurr/update":513}}}"#,
        #"{"local_ctrl":{"ver":"v1.0","sec_ver":0},"espurr":{"protocol":2,"mode":"normal","limits":{"espurr/update":0}}}"#,
    ])
    func `what is not of this form is refused`(text: String) {
        #expect(throws: UnsupportedEars.versionDocument(.malformed)) { try parse(text) }
    }

    @Test func `a document longer than an attribute is refused unread`() {
        #expect(throws: UnsupportedEars.versionDocument(.tooLong(bytes: 513))) {
            try parse(String(repeating: " ", count: 513))
        }
    }

    @Test func `of another protocol nothing more is presumed`() {
        #expect(throws: UnsupportedEars.applicationProtocol(3)) {
            try parse(#"{"local_ctrl":{"ver":"v1.0","sec_ver":0},"espurr":{"protocol":3,"mode":[1]}}"#)
        }
    }

    @Test func `bytes that are not UTF-8 are refused`() {
        #expect(throws: UnsupportedEars.versionDocument(.malformed)) {
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

import TestSupport
import Testing

@testable import Catalogue

@Suite struct JSONReaderTests {
    private func read(_ text: String) throws(JSONFault) -> JSONValue { try JSONReader.read(Array(text.utf8)) }

    @Test func `every kind of value is read`() throws {
        let value = try read(#" { "a" : [ null , true , false , -12 , "x" ] , "b" : { } } "#)
        #expect(value == ["a": [.null, true, false, -12, "x"], "b": [:]])
    }

    @Test(arguments: [
        (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{C}\n\r\t"),
        (#""\u00e9\u20AC""#, "é€"),
        (#""\ud83d\ude3a""#, "😺"),
    ])
    func `escapes are read`(text: String, content: String) throws {
        #expect(try read(text) == .text(UTF8Text(content)))
    }

    @Test func `canonically equivalent names stay apart`() throws {
        let object = try #require(try read(#"{"\u00e9":1,"e\u0301":2}"#).objectValue)
        #expect(object["\u{E9}"] == 1)
        #expect(object["e\u{301}"] == 2)
    }

    @Test func `a name that comes twice is refused, escaped or not`() {
        #expect(throws: JSONFault(offset: 18, reason: .duplicateName("a"))) { try read(#"{"a":1,"\u0061":1}"#) }
    }

    @Test(arguments: [
        ("", 0, JSONFault.Reason.unexpectedEnd),
        ("[1,]", 3, .unexpectedByte(UInt8(ascii: "]"))),
        (#"{"a":1,}"#, 7, .unexpectedByte(UInt8(ascii: "}"))),
        ("{1:2}", 1, .unexpectedByte(UInt8(ascii: "1"))),
        ("[1", 2, .unexpectedEnd),
        (#"{"a""#, 4, .unexpectedEnd),
        (#""a"#, 2, .unexpectedEnd),
        (#""\"#, 2, .unexpectedEnd),
        (#""\x""#, 2, .unexpectedByte(UInt8(ascii: "x"))),
        (#""\u12g4""#, 5, .unexpectedByte(UInt8(ascii: "g"))),
        ("[1] 2", 4, .trailingBytes),
        ("{}\0", 2, .trailingBytes),
        ("-", 1, .unexpectedEnd),
        ("01", 1, .unexpectedByte(UInt8(ascii: "1"))),
        ("1.0", 1, .fraction),
        ("1E2", 1, .fraction),
        ("9223372036854775808", 0, .integerOutOfRange),
        ("-9223372036854775809", 0, .integerOutOfRange),
        ("tru", 3, .unexpectedEnd),
        ("True", 0, .unexpectedByte(UInt8(ascii: "T"))),
        ("\u{FEFF}{}", 0, .unexpectedByte(0xEF)),
        (#""\ud800""#, 7, .loneSurrogate),
        (#""\ud800\u0041""#, 13, .loneSurrogate),
        (#""\udc00\ud800""#, 7, .loneSurrogate),
        ("\"\u{1}\"", 1, .unexpectedByte(1)),
        ("\u{A0}1", 0, .unexpectedByte(0xC2)),
    ])
    func `anything else is refused at its place`(text: String, offset: Int, reason: JSONFault.Reason) {
        #expect(throws: JSONFault(offset: offset, reason: reason)) { try read(text) }
    }

    @Test(arguments: [[0x22, 0xFF, 0x22], [0x22, 0xC0, 0x80, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22]] as [[UInt8]])
    func `bytes that are no UTF-8 are refused`(bytes: [UInt8]) {
        #expect(throws: JSONFault(offset: 0, reason: .notUTF8)) { try JSONReader.read(bytes) }
    }

    @Test func `the largest and smallest integers are read`() throws {
        #expect(try read("[9223372036854775807,-9223372036854775808]") == [.integer(.max), .integer(.min)])
    }

    @Test func `depth has a limit`() throws {
        let limit = JSONLimits().depth
        func nested(_ depth: Int) -> String {
            String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        }
        _ = try read(nested(limit))
        #expect(throws: JSONFault(offset: limit, reason: .tooDeep(limit: limit))) { try read(nested(limit + 1)) }
    }

    @Test func `the number of values has a limit`() throws {
        var limits = JSONLimits()
        limits.values = 3
        _ = try JSONReader.read(Array("[1,2]".utf8), limits: limits)
        #expect(throws: JSONFault(offset: 5, reason: .tooManyValues(limit: 3))) {
            try JSONReader.read(Array("[1,2,3]".utf8), limits: limits)
        }
    }

    @Test(arguments: 0..<8) func `no mutation crashes, and what is read survives being written`(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let sample = Array(#"{"a":[1,-2,"\u00e9\ud83d\ude3a\n",{"b":null}],"c":{"d":true},"e":"é\\\""}"#.utf8)
        var accepted = 0
        for _ in 0..<500 {
            let bytes = random.mutate(sample)
            guard let value = try? JSONReader.read(bytes) else { continue }
            accepted += 1
            #expect(try JSONReader.read(plainJSON(value)) == value)
        }
        #expect(accepted > 0)
    }
}

import Testing

@testable import CommandLineTools

@Suite struct ProcessWordsTests {
    private func words(_ arguments: [[UInt8]] = [], _ entries: [[UInt8]] = []) -> ProcessWords {
        ProcessWords(arguments: arguments, entries: entries)
    }

    @Test func `arguments and environment are taken as they are`() {
        let words = words(
            [Array("inspect".utf8), [], Array("ä b=c".utf8)],
            ["HOME=/home/ä", "EMPTY=", "A=b=c", "no sign", "PS1=\u{1}"].map { Array($0.utf8) })
        #expect(words.refusal == nil)
        #expect(words.arguments == ["inspect", "", "ä b=c"])
        #expect(words.environment == ["HOME": "/home/ä", "EMPTY": "", "A": "b=c", "PS1": "\u{1}"])
    }

    @Test(arguments: [[0xFF], [0x61, 0xC3], [0xC0, 0x80], [0xED, 0xA0, 0x80]] as [[UInt8]])
    func `an argument that is no UTF-8 is refused by its place`(bytes: [UInt8]) {
        let refusal = words([Array("download".utf8), bytes]).refusal
        #expect(refusal?.status == .usage)
        #expect(refusal?.cause == "argument 2 is not UTF-8")
    }

    @Test(arguments: ["HOME", "XDG_STATE_HOME", "TMPDIR", "SSL_CERT_FILE"])
    func `a path of the environment that is no UTF-8 is refused by its name`(name: String) {
        let refusal = words([], [Array("\(name)=/a".utf8) + [0xFF]]).refusal
        #expect(refusal?.status == .usage)
        #expect(refusal?.cause == "the value of \(name) is not UTF-8")
    }

    @Test func `what is not used of the environment may be anything`() {
        #expect(words([], [Array("LESSOPEN=".utf8) + [0xFF], [0xFF, 0x3D]]).refusal == nil)
    }
}

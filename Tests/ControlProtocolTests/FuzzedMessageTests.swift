import Foundation
import MessageInvariants
import Testing

/// What the fuzzer of messages starts from and what it once found (`Tests/Fuzzing`).
@Suite struct `Bytes of the fuzzer` {
    @Test(arguments: MessageCodec.all)
    func `hold what holds for any bytes, those of the other messages too`(codec: MessageCodec) throws {
        for row in try GoldenRow.all() {
            #expect(MessageInvariants.hold(for: row.bytes[...], readAs: codec.type), "\(row.name)")
        }
    }

    @Test func `that once broke something no longer do`() throws {
        let folder = Folder.tests.appending(path: "../Fuzzing/Crashes/Messages")
        for name in (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [] {
            let found = try Data(contentsOf: folder.appending(path: name))
            #expect(MessageInvariants.hold(forSelected: Array(found)) != false, "\(name)")
        }
    }

    @Test func `select a message by their place in the list, or none`() {
        #expect(MessageInvariants.hold(forSelected: []) == nil)
        #expect(MessageInvariants.hold(forSelected: [UInt8(MessageCodec.all.count)]) == nil)
        #expect(MessageInvariants.hold(forSelected: [UInt8(MessageCodec.all.count - 1)]) == true)
    }

    @Test func `are counted without the codec's help`() {
        struct Nested {
            var numbers: [UInt32]
            var bytes: [UInt8]
            var texts: [String]?
            var inner: [[String]]
        }
        let value = Nested(numbers: [1, 2], bytes: [1, 2, 3], texts: ["a"], inner: [["b", "c"], []])
        #expect(MessageInvariants.elementCount(in: value) == 7)
    }
}

import Foundation
import TestSupport
import Testing

@testable import ControlProtocol

@Suite(
    .enabled(if: Protoc.program != nil, "protoc (Debian: protobuf-compiler) is not installed"),
    .timeLimit(.minutes(1)))
struct `The protobuf compiler` {
    @Test func `accepts the contract`() throws {
        try Protoc.withFolder { folder in
            let descriptors = folder.appending(path: "descriptors")
            _ = try Protoc.run(["--descriptor_set_out=\(descriptors.path)"] + Protoc.files, in: folder)
            #expect(try !Data(contentsOf: descriptors).isEmpty)
        }
    }

    @Test func `encodes each golden row's text to the row's bytes, the handler's too`() throws {
        try Protoc.withFolder { folder in
            for row in try GoldenRow.all() {
                let encoded = try Protoc.run(
                    ["--encode=\(row.message)"] + Protoc.files, input: Data(row.text.utf8), in: folder)
                #expect([UInt8](encoded) == row.bytes, "\(row.name)")
            }
        }
    }

    @Test(arguments: MessageKind.allCases)
    func `reads our bytes and writes the same`(kind: MessageKind) throws {
        try expectAgreement(on: kind.type)
    }

    /// Many messages go through protoc at once, as the elements of one list.
    private func expectAgreement<M: TestedMessage>(on type: M.Type) throws {
        var random = SeededRandom(seed: 0xB0B)
        var list = WireWriter()
        list.messages(1, (0..<200).map { _ in M.generated(using: &random) })
        #expect(try rewritten(list.bytes, listOf: M.protoName) == list.bytes)
    }

    @Test(arguments: MessageKind.allCases)
    func `merges two messages of which one follows the other as we do`(kind: MessageKind) throws {
        try expectSameMerging(of: kind.type)
    }

    private func expectSameMerging<M: TestedMessage>(of type: M.Type) throws {
        var random = SeededRandom(seed: 0xD0C)
        var pairs = WireWriter()
        var merged = WireWriter()
        for _ in 0..<200 {
            let pair = M.generated(using: &random).encoded() + M.generated(using: &random).encoded()
            // Of two envelopes, a type may stay without its payload: that we refuse, and protoc does not know of.
            let limits = DecodingLimits(bytes: pair.count, depth: 3, elements: pair.count)
            guard !pair.isEmpty, let message = try? M(decoding: pair, limits: limits) else { continue }
            pairs.bytes(1, pair)
            merged.message(1, message)
        }
        #expect(merged.bytes.count > 100)
        #expect(try rewritten(pairs.bytes, listOf: M.protoName) == merged.bytes)
    }

    /// What protoc encodes from the text that it decoded the bytes to.
    private func rewritten(_ bytes: [UInt8], listOf message: String) throws -> [UInt8] {
        let list = """
            syntax = "proto3";
            \(Protoc.files.map { "import \"\($0)\";" }.joined(separator: "\n"))
            message List { repeated \(message) elements = 1; }
            """
        return try Protoc.withFolder { folder in
            try Data(list.utf8).write(to: folder.appending(path: "list.proto"))
            let text = try Protoc.run(["--decode=List", "list.proto"], input: Data(bytes), in: folder)
            return [UInt8](try Protoc.run(["--encode=List", "list.proto"], input: text, in: folder))
        }
    }
}

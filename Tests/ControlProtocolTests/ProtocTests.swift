import Foundation
import Testing

@testable import ControlProtocol

@Suite(
    .enabled(if: Protoc.program != nil, "protoc (Debian: protobuf-compiler) is not installed"),
    .timeLimit(.minutes(1)))
struct `The protobuf compiler` {
    @Test func `accepts the contract`() throws {
        let contract = try FileManager.default.contentsOfDirectory(atPath: Folder.contract.path)
        #expect(contract.filter { $0.hasSuffix(".proto") }.sorted() == Protoc.files)
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
        var random = SplitMix64(seed: 0xB0B)
        let messages = (0..<200).map { _ in M.generated(using: &random) }
        var writer = WireWriter()
        writer.messages(1, messages)
        let list = """
            syntax = "proto3";
            \(Protoc.files.map { "import \"\($0)\";" }.joined(separator: "\n"))
            message List { repeated \(M.protoName) elements = 1; }
            """
        try Protoc.withFolder { folder in
            try Data(list.utf8).write(to: folder.appending(path: "list.proto"))
            let text = try Protoc.run(["--decode=List", "list.proto"], input: Data(writer.bytes), in: folder)
            #expect(String(decoding: text, as: UTF8.self).matches(of: /elements \{/).count == messages.count)
            let encoded = try Protoc.run(["--encode=List", "list.proto"], input: text, in: folder)
            #expect([UInt8](encoded) == writer.bytes)
        }
    }
}

import ControlProtocol
import Foundation
import MessageInvariants
import TestSupport
import Testing

/// Messages that Python's protobuf and a writer of its own made from the contract (`Tests/ProtobufJudge/generate.py`).
@Suite(
    .enabled(if: Protoc.program != nil, "protoc (Debian: protobuf-compiler) is not installed"),
    .enabled(if: Protobuf.python != nil, "ESPURR_PYTHON names no Python with protobuf"),
    .timeLimit(.minutes(2)))
struct `Python's protobuf` {
    private static let count = 1000

    @Test func `reads every message of the contract as we do, and refuses what we refuse`() async throws {
        let lines = try await generated()
        #expect(lines.count == MessageCodec.all.count * Self.count)
        for codec in MessageCodec.all {
            let own = lines.filter { $0.codec == codec.name }
            #expect(own.count == Self.count, "\(codec)")
            #expect(own.count { $0.canonical != nil } > Self.count / 3, "\(codec)")
            let excused = own.reduce(0) { $0 + excusedDisagreements(on: $1, codec.type) }
            #expect(excused < Self.count / 100, "\(codec)")
        }
    }

    /// - Returns: 1 for a varint of more than 64 bits, whose upper bits Python's protobuf drops: here it is refused
    ///   (`Protocol/wire.md`, section 9). Only damage makes one. Else 0.
    private func excusedDisagreements<Message: WireMessage>(on line: Line, _ type: Message.Type) -> Int {
        let ample = DecodingLimits(bytes: 1 << 16, depth: 100, elements: 1 << 16)
        var written: [UInt8]?
        do throws(WireError) { written = try Message(decoding: line.bytes, limits: ample).encoded() } catch {
            if case .varintTooLong = error, line.canonical != nil { return 1 }
        }
        #expect(written == line.canonical, "\(line.codec) \(line.text)")
        return 0
    }

    private struct Line {
        var codec: String
        /// For a failure's message.
        var text: String
        var bytes: [UInt8]
        /// Nil: the bytes are no message.
        var canonical: [UInt8]?
    }

    private func generated() async throws -> [Line] {
        let folder = try TemporaryFolder()
        let descriptors = URL(filePath: folder.path).appending(path: "descriptors")
        _ = try Protoc.run(
            ["--include_imports", "--descriptor_set_out=\(descriptors.path)"] + Protoc.files,
            in: URL(filePath: folder.path))
        let python = try #require(Protobuf.python)
        let script = BuiltProgram.packageFolder + "/Tests/ProtobufJudge/generate.py"
        let codecs = MessageCodec.all.map { "\($0.name)=\($0.protoName)" }
        let run = try await python.run([script, descriptors.path, "5", "\(Self.count)"] + codecs)
        try #require(run.status == 0, "\(run.messages)")
        return run.output.split(separator: "\n").map { line in
            let columns = line.split(separator: "\t", omittingEmptySubsequences: false)
            return Line(
                codec: String(columns[0]), text: String(columns[1]), bytes: bytes(String(columns[1])),
                canonical: columns[2] == "refused" ? nil : bytes(String(columns[2])))
        }
    }
}

/// `ESPURR_PYTHON`, which `.ci/test` gives protobuf.
enum Protobuf {
    static let python = ProcessInfo.processInfo.environment["ESPURR_PYTHON"].map { BuiltProgram(path: $0) }
}

import ControlProtocol
import MessageInvariants
import Testing

@Suite struct `Golden bytes` {
    @Test func `each row has a value and each value a row`() throws {
        #expect(try GoldenRow.all().map(\.name).sorted() == goldenValues.keys.sorted())
    }

    @Test func `every message has rows`() throws {
        let covered = Set(try GoldenRow.all().map { goldenValues[$0.name].map { String(describing: type(of: $0)) } })
        #expect(covered == Set(MessageKind.allCases.map { String(describing: $0.type) }))
    }

    @Test func `the tested messages are those that the fuzzer and Python's protobuf are given`() {
        let tested = MessageKind.allCases.map { "\($0.type) \($0.type.protoName)" }
        #expect(tested.sorted() == MessageCodec.all.map { "\($0.name) \($0.protoName)" }.sorted())
    }

    @Test(arguments: try GoldenRow.all())
    func `decode to the value and are what the value encodes to`(row: GoldenRow) throws {
        let value = try #require(goldenValues[row.name])
        try expectAgreement(of: value, with: row)
    }

    private func expectAgreement<M: TestedMessage>(of value: M, with row: GoldenRow) throws {
        #expect(M.protoName == row.message)
        #expect(value.encoded() == row.bytes)
        #expect(try M(decoding: row.bytes) == value)
    }

    /// The reply's bytes were recorded up to its first property's length.
    @Test func `a values reply begins as Espressif's handler began it`() {
        let property = PropertyInfo(name: "property1", type: .int32, value: [0, 0, 0, 0])
        let reply = LocalControlResponse.propertyValues(status: .success, properties: [property])
        #expect(property.encoded().count == 0x13)
        #expect(reply.encoded().starts(with: bytes("08 05 6a 15 12 13")))
    }

    /// Espressif's `protobuf-c` and old clients do not pack.
    @Test func `indices are read unpacked too`() throws {
        #expect(
            try LocalControlRequest(decoding: bytes("0804 6205 0801 089601".replacing(" ", with: "")))
                == .propertyValues(indices: [1, 150]))
    }
}

import ControlProtocol
import Testing

@Suite struct `Decoding limits` {
    @Test func `a message of more bytes is refused unread`() throws {
        let limits = DecodingLimits(bytes: 4, depth: 0, elements: 0)
        #expect(try ChangeRequest(decoding: bytes("08 01 10 02"), limits: limits).basedOnRevision == 2)
        #expect(throws: WireError.tooManyBytes(found: 5, limit: 4)) {
            try ChangeRequest(decoding: bytes("ff ff ff ff ff"), limits: limits)
        }
    }

    @Test func `no attribute value is longer than the default limit`() {
        #expect(DecodingLimits.attributeValue.bytes == 512)
    }

    @Test func `a message that lies deeper is refused`() throws {
        let slot = bytes("3a 02 1a 00")
        #expect(try UpdateReply(decoding: slot, limits: depth(2)).status?.slots.count == 1)
        #expect(throws: WireError.tooDeep(offset: 3, limit: 1)) { try UpdateReply(decoding: slot, limits: depth(1)) }
        #expect(throws: WireError.tooDeep(offset: 1, limit: 0)) { try UpdateReply(decoding: slot, limits: depth(0)) }
    }

    @Test func `messages side by side are not deep`() throws {
        let slots = bytes("3a 06 1a 00 1a 00 1a 00 3a 02 1a 00")
        #expect(try UpdateReply(decoding: slots, limits: depth(2)).status?.slots.count == 4)
    }

    @Test func `groups that lie deeper are refused, however deep`() throws {
        let two = bytes("9b 06 9b 06 9c 06 9c 06")
        #expect(try ChangeRequest(decoding: two, limits: depth(2)).id == 0)
        #expect(throws: WireError.tooDeep(offset: 4, limit: 1)) { try ChangeRequest(decoding: two, limits: depth(1)) }
        let many = [[UInt8]](repeating: [0x9B, 0x06], count: 50_000).flatMap { $0 }
        #expect(throws: WireError.tooDeep(offset: 18, limit: 8)) {
            try ChangeRequest(decoding: many, limits: DecodingLimits(bytes: many.count, depth: 8, elements: 0))
        }
    }

    @Test(arguments: [
        "08 04 62 05 0a 03 01 02 03", "08 04 62 06 08 01 08 02 08 03", "08 04 62 02 08 01 62 04 0a 02 02 03",
    ])
    func `more elements are refused, packed and unpacked`(hex: String) throws {
        #expect(
            try LocalControlRequest(decoding: bytes(hex), limits: elements(3)) == .propertyValues(indices: [1, 2, 3]))
        let error = #expect(throws: WireError.self) {
            try LocalControlRequest(decoding: bytes(hex), limits: elements(2))
        }
        guard case .tooManyElements(_, limit: 2) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func `texts and messages are elements too, and all lists count together`() throws {
        #expect(throws: WireError.tooManyElements(offset: 3, limit: 1)) {
            try Capabilities(decoding: bytes("0a 00 0a 00"), limits: elements(1))
        }
        #expect(throws: WireError.tooManyElements(offset: 6, limit: 1)) {
            try UpdateReply(decoding: bytes("3a 04 1a 00 1a 00"), limits: elements(1))
        }
        #expect(throws: WireError.tooManyElements(offset: 7, limit: 1)) {
            try EarsState(decoding: bytes("12 02 20 01 12 02 20 02"), limits: elements(1))
        }
    }

    private func depth(_ depth: Int) -> DecodingLimits { DecodingLimits(bytes: 64, depth: depth, elements: 8) }
    private func elements(_ elements: Int) -> DecodingLimits { DecodingLimits(bytes: 64, depth: 4, elements: elements) }
}

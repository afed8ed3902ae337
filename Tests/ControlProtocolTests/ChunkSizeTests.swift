import ControlProtocol
import Testing

@Suite struct `The largest chunk` {
    static let numbers: [UInt32] = [0, 1, 127, 128, 16_383, 16_384, 2_097_152, 268_435_456, .max]

    @Test(arguments: numbers, numbers)
    func `fills the message's limit and no more`(session: UInt32, offset: UInt32) {
        for limit in Array(0...600) + [16_390, 16_400, 70_000] {
            let largest = UpdateRequest.largestChunk(session: session, offset: offset, messageLimit: limit)
            #expect(largest == 0 || encodedBytes(session, offset, largest) <= limit)
            #expect(encodedBytes(session, offset, largest + 1) > limit)
        }
    }

    @Test(arguments: [Int.min, -1, 0, 4])
    func `is nothing where a message has no room`(limit: Int) {
        #expect(UpdateRequest.largestChunk(session: 0, offset: 0, messageLimit: limit) == 0)
    }

    @Test func `takes any limit that the ears may state`() {
        let largest = UpdateRequest.largestChunk(session: .max, offset: .max, messageLimit: .max)
        #expect(largest == Int(Int32.max) - 24)
    }

    private func encodedBytes(_ session: UInt32, _ offset: UInt32, _ count: Int) -> Int {
        UpdateRequest.chunk(session: session, offset: offset, data: [UInt8](repeating: 0, count: count)).encoded().count
    }
}

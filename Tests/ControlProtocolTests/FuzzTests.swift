import ControlProtocol
import Testing

@Suite struct `Fuzzed decoders` {
    /// A varint that was cut to 32 bits can be encoded longer than it came.
    private static let wide = DecodingLimits(bytes: 1 << 16, depth: 8, elements: 1 << 12)

    @Test(arguments: MessageKind.allCases)
    func `a generated message comes back from its bytes`(kind: MessageKind) throws {
        try expectRoundTrips(of: kind.type)
    }

    private func expectRoundTrips<M: TestedMessage>(of type: M.Type) throws {
        var random = SplitMix64(seed: 0x0E5)
        for _ in 0..<300 {
            let message = M.generated(using: &random)
            #expect(try M(decoding: message.encoded(), limits: Self.wide) == message)
        }
    }

    @Test(arguments: MessageKind.allCases)
    func `mutated bytes are refused, or are a message that comes back, within the limits`(kind: MessageKind) throws {
        var random = SplitMix64(seed: 0xCA7)
        let goldens = try GoldenRow.all().map(\.bytes)
        for _ in 0..<4000 {
            let mutated = mutation(of: goldens[random.below(goldens.count)], using: &random)
            try expectSound(kind.type, decoding: mutated, limits: DecodingLimits(bytes: 300, depth: 3, elements: 4))
        }
    }

    @Test(arguments: MessageKind.allCases)
    func `random bytes are refused, or are a message that comes back, within the limits`(kind: MessageKind) throws {
        var random = SplitMix64(seed: 0xEA2)
        for _ in 0..<4000 {
            let bytes = (0..<random.below(40)).map { _ in UInt8(random.below(256) & (random.bool() ? 0xFF : 0x1F)) }
            try expectSound(kind.type, decoding: bytes, limits: DecodingLimits(bytes: 32, depth: 2, elements: 2))
        }
    }

    private func expectSound<M: TestedMessage>(
        _ type: M.Type, decoding bytes: [UInt8], limits: DecodingLimits
    ) throws {
        guard let message = try? M(decoding: bytes, limits: limits) else { return }
        #expect(bytes.count <= limits.bytes)
        #expect(message.elementCount <= limits.elements)
        #expect(try M(decoding: message.encoded(), limits: Self.wide) == message)
    }

    private func mutation(of original: [UInt8], using random: inout SplitMix64) -> [UInt8] {
        var bytes = original
        for _ in 0...random.below(3) {
            let place = random.below(bytes.count + 1)
            switch random.below(6) {
            case 0 where place < bytes.count: bytes[place] ^= 1 << UInt8(random.below(8))
            case 1 where place < bytes.count: bytes[place] = UInt8(random.below(256))
            case 2 where place < bytes.count: bytes.remove(at: place)
            case 3: bytes.insert(UInt8(random.below(256)), at: place)
            case 4: bytes.removeSubrange(place...)
            default: bytes += bytes[..<place]
            }
        }
        return bytes
    }
}

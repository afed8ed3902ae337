import ControlProtocol
import MessageInvariants
import TestSupport
import Testing

@Suite struct `Fuzzed decoders` {
    /// A varint that was cut to 32 bits can be encoded longer than it came.
    private static let wide = DecodingLimits(bytes: 1 << 16, depth: 8, elements: 1 << 12)

    @Test(arguments: MessageKind.allCases)
    func `a generated message comes back from its bytes`(kind: MessageKind) throws {
        try expectRoundTrips(of: kind.type)
    }

    private func expectRoundTrips<M: TestedMessage>(of type: M.Type) throws {
        var random = SeededRandom(seed: 0x0E5)
        for _ in 0..<300 {
            let message = M.generated(using: &random)
            #expect(try M(decoding: message.encoded(), limits: Self.wide) == message)
        }
    }

    @Test(arguments: MessageKind.allCases)
    func `mutated bytes are refused, or are a message that comes back, within the limits`(kind: MessageKind) throws {
        var random = SeededRandom(seed: 0xCA7)
        let goldens = try GoldenRow.all().map(\.bytes)
        var decoded = 0
        for _ in 0..<4000 {
            let mutated = mutation(of: goldens[random.below(goldens.count)], using: &random)
            decoded += try expectSound(
                kind.type, decoding: mutated, limits: DecodingLimits(bytes: 300, depth: 3, elements: 4))
        }
        #expect(decoded > 0)
    }

    @Test(arguments: MessageKind.allCases)
    func `random fields are refused, or are a message that comes back, within the limits`(kind: MessageKind) throws {
        var random = SeededRandom(seed: 0xEA2)
        var decoded = 0
        for _ in 0..<20_000 {
            let fields = randomFields(depth: 3, using: &random)
            decoded += try expectSound(
                kind.type, decoding: fields, limits: DecodingLimits(bytes: 100, depth: 2, elements: 4))
        }
        #expect(decoded > 0)
    }

    @Test(arguments: MessageKind.allCases)
    func `random bytes are refused, or are a message that comes back, within the limits`(kind: MessageKind) throws {
        var random = SeededRandom(seed: 0xEA3)
        for _ in 0..<4000 {
            let bytes = (0..<random.below(40)).map { _ in UInt8(random.below(256)) }
            _ = try expectSound(
                kind.type, decoding: bytes, limits: DecodingLimits(bytes: 32, depth: 2, elements: 2))
        }
    }

    /// - Returns: 1 if the bytes are a message, else 0.
    private func expectSound<M: TestedMessage>(
        _ type: M.Type, decoding bytes: [UInt8], limits: DecodingLimits
    ) throws -> Int {
        guard let message = try? M(decoding: bytes, limits: limits) else { return 0 }
        #expect(bytes.count <= limits.bytes)
        #expect(MessageInvariants.elementCount(in: message) <= limits.elements)
        #expect(try M(decoding: message.encoded(), limits: Self.wide) == message)
        return 1
    }

    private func mutation(of original: [UInt8], using random: inout SeededRandom) -> [UInt8] {
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

    /// Fields whose tags are likely to be known, with content of their wire type or a little wrong.
    private func randomFields(depth: Int, using random: inout SeededRandom) -> [UInt8] {
        var fields: [UInt8] = []
        for _ in 0..<random.below(4) {
            switch random.below(5) {
            case 0, 1:
                let content = depth == 0 ? [] : randomFields(depth: depth - 1, using: &random)
                let number = [1, 2, 3, 4, 5, 6, 7, 10, 11, 12, 13, 14, 15, 20, 21][random.below(15)]
                fields += varint(number << 3 | 2) + varint(content.count) + content
            case 2: fields += varint(1 << 3) + varint(random.below(8))
            case 3: fields += varint(random.below(12) << 3) + varint(Int(random.number()))
            default: fields += varint(random.below(22) << 3 | random.below(8)) + random.bytes()
            }
        }
        return fields
    }

    private func varint(_ value: Int) -> [UInt8] {
        value < 0x80 ? [UInt8(value)] : [UInt8(value & 0x7F) | 0x80] + varint(value >> 7)
    }
}

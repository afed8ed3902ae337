public import ControlProtocol

/// What holds for any bytes at all, for the fuzzer and for the tests that go through what it found.
public enum MessageInvariants {
    /// Tighter than the product's, so that few bytes reach them.
    private static let tight = DecodingLimits(bytes: 128, depth: 2, elements: 4)
    /// A varint that was cut to 32 bits can be encoded longer than it came.
    private static let ample = 1 << 16

    /// A place in ``MessageCodec/all``, then the message's bytes. Nil: the place is none, and nothing was tried.
    public static func hold(forSelected bytes: [UInt8]) -> Bool? {
        guard let place = bytes.first, place < MessageCodec.all.count else { return nil }
        return hold(for: bytes.dropFirst(), readAs: MessageCodec.all[Int(place)].type)
    }

    /// Bytes are refused, or are a message within the limits that is written and read again as the same message.
    public static func hold(for bytes: ArraySlice<UInt8>, readAs type: any WireMessage.Type) -> Bool {
        hold(for: bytes, type, .attributeValue) && hold(for: bytes, type, tight)
    }

    private static func hold<Message: WireMessage>(
        for bytes: ArraySlice<UInt8>, _ type: Message.Type, _ limits: DecodingLimits
    ) -> Bool {
        guard let message = try? Message(decoding: bytes, limits: limits) else { return true }
        guard bytes.count <= limits.bytes, elementCount(in: message) <= limits.elements else { return false }
        let written = message.encoded()
        // Where merging and skipping are done with, it has no more levels and elements than what was read.
        let again = DecodingLimits(bytes: ample, depth: limits.depth, elements: limits.elements)
        guard let read = try? Message(decoding: written, limits: again) else { return false }
        return read == message && read.encoded() == written
    }

    /// Elements of all lists in a value, found without the codec's help. Bytes are one value, not a list.
    public static func elementCount(in value: Any) -> Int {
        guard !(value is [UInt8]), !(value is String) else { return 0 }
        let mirror = Mirror(reflecting: value)
        let own = mirror.displayStyle == .collection ? mirror.children.count : 0
        return mirror.children.reduce(own) { $0 + elementCount(in: $1.value) }
    }
}

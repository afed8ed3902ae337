/// What a decoder takes on before it gives up.
public struct DecodingLimits: Hashable, Sendable {
    /// Bytes of the whole message.
    public var bytes: Int
    /// Levels of messages and groups below the outermost message.
    public var depth: Int
    /// Elements of all repeated fields of the whole message together.
    public var elements: Int

    public init(bytes: Int, depth: Int, elements: Int) {
        self.bytes = bytes
        self.depth = depth
        self.elements = elements
    }

    /// The largest attribute value (Core Specification Vol 3, Part F, 3.2.9) is 512 bytes, so no endpoint
    /// carries more; the deepest message of `Protocol/` has three levels below the outermost.
    public static let attributeValue = DecodingLimits(bytes: 512, depth: 8, elements: 256)
}

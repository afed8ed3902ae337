/// What is behind the ears' radio: where writes wait, and how long the flash takes for them.
public struct WritePath: Hashable, Sendable {
    /// A block that is erased as soon as the writes reach it, as firmware does that did not erase the slot before.
    public struct Erase: Hashable, Sendable {
        /// Bytes of a block.
        public var block: Int
        public var time: Duration

        public init(block: Int, time: Duration) {
            self.block = block
            self.time = time
        }
    }

    /// Bytes of writes without response that wait at most; what comes beyond is dropped without a word.
    public var buffer: Int
    /// To program 256 bytes; nothing else is done meanwhile.
    public var pageTime: Duration
    public var erase: Erase?

    public init(buffer: Int = 16 << 10, pageTime: Duration = .microseconds(500), erase: Erase? = nil) {
        self.buffer = buffer
        self.pageTime = pageTime
        self.erase = erase
    }

    /// How long the flash is busy with a write.
    ///
    /// - Parameter offset: bytes from the start of the file, which is that of a block.
    func time(toWrite count: Int, at offset: Int) -> Duration {
        let programming = pageTime * count / Self.pageSize
        guard let erase else { return programming }
        let blocks = Self.blocks(offset + count, of: erase.block) - Self.blocks(offset, of: erase.block)
        return programming + erase.time * blocks
    }

    private static let pageSize = 256

    private static func blocks(_ bytes: Int, of block: Int) -> Int { (bytes + block - 1) / block }
}

import DurableFiles

/// Reads a judged image from its start to its end in blocks, for whoever takes it in small pieces.
///
/// A block is read, and seen to be what was judged, at once: none of its pieces costs a system call. The whole file is
/// hashed again only where something about it changed, and once for each change.
public struct ImageReader: Sendable {
    private let image: SoundImage
    private var block: [UInt8] = []
    /// Bytes from the start of the image.
    private var start = 0

    private let blockLength: Int
    private var known: ReadableFile.StatusChange?

    public init(_ image: SoundImage) { self.init(image, blockLength: 2048) }

    /// - Parameter blockLength: in bytes. Some chunks: a file that changes is noticed soon.
    init(_ image: SoundImage, blockLength: Int) {
        self.image = image
        known = image.judgedChange
        self.blockLength = blockLength
    }

    /// Bytes of a range within the image's size.
    ///
    /// - Throws: where the file is not any more what was judged, or cannot be read: never other bytes.
    public mutating func bytes(at offset: Int, count: Int) throws(ImageFileError) -> [UInt8] {
        if offset < start || offset + count > start + block.count {
            block = try image.bytes(in: offset..<min(image.size, offset + max(count, blockLength)), &known)
            start = offset
        }
        return Array(block[offset - start..<offset - start + count])
    }
}

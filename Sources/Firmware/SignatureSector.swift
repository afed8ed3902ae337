/// The 4096 bytes that Secure Boot v2 appends at a 4 KiB boundary: up to three blocks of signature and key.
public struct SignatureSector: Hashable, Sendable {
    /// Bytes, of sector and boundary.
    public static let length = 4096
    public static let blockLength = 1216
    public static let maximumBlockCount = 3
    static let magic: UInt8 = 0xE7
    /// RSA-PSS, the one scheme of ESP32 and ESP32-S3.
    static let version: UInt8 = 2

    /// Where it stands in the file, in bytes.
    public let offset: Int
    /// How many of the three blocks are in use: at least one.
    public let blockCount: Int

    /// What is wrong with a sector. Blocks count from 0.
    public enum Fault: Error, Hashable, Sendable {
        /// The file ends within it.
        case truncated
        /// Neither a signature block nor erased.
        case notABlock(Int, firstByte: UInt8)
        /// A scheme that the chips of the board families do not have.
        case version(Int, UInt8)
        case crc(Int, stored: UInt32, computed: UInt32)
        /// The block was made for other bytes than those before the sector.
        case digest(Int)
        /// Something behind the blocks.
        case foreign(offset: Int, byte: UInt8)
    }

    /// - Parameters:
    ///   - bytes: the sector's own; fewer than ``length`` where the file ends within it.
    ///   - offset: where it stands in the file.
    ///   - digest: SHA-256 of what stands before it.
    /// - Throws: the first fault.
    init(_ bytes: [UInt8], at offset: Int, digest: [UInt8]) throws(Fault) {
        guard bytes.count >= Self.length else { throw .truncated }
        var used = 0
        for index in 0..<Self.maximumBlockCount {
            let start = index * Self.blockLength
            if bytes.firstProgrammed(in: start..<(start + Self.blockLength)) == nil { continue }
            try Self.check(block: index, of: bytes, at: start, digest: digest)
            used += 1
        }
        let blocksEnd = Self.maximumBlockCount * Self.blockLength
        if let foreign = bytes.firstProgrammed(in: blocksEnd..<Self.length) {
            throw .foreign(offset: offset + foreign, byte: bytes[foreign])
        }
        self.offset = offset
        blockCount = used
    }

    /// Layout of a block: magic, version, 2 reserved, digest[32], key, signature, CRC-32 at 1196, padding.
    private static func check(block: Int, of bytes: [UInt8], at start: Int, digest: [UInt8]) throws(Fault) {
        guard bytes[start] == magic else { throw .notABlock(block, firstByte: bytes[start]) }
        guard bytes[start + 1] == version else { throw .version(block, bytes[start + 1]) }
        let stored: UInt32 = bytes.integer(at: start + crcOffset)
        let computed = CRC32.checksum(bytes[start..<(start + crcOffset)])
        guard stored == computed else { throw .crc(block, stored: stored, computed: computed) }
        guard bytes[(start + 4)..<(start + 36)].elementsEqual(digest) else { throw .digest(block) }
    }

    private static let crcOffset = 1196
}

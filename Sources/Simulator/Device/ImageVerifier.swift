import Crypto

/// The check that ESP-IDF v6.1 makes of an image in a slot, at the end of an update and again at boot, and no more than
/// that: anything whose header, segments, checksum and appended hash (if it says that there is one) hold together
/// passes, be it a boot loader, a header alone, a program for RAM or the head of something longer.
struct ImageVerifier: Sendable {
    let chip: Chip

    static let magic: UInt8 = 0xE9
    private static let headerSize = 24
    private static let segmentHeaderSize = 8
    private static let maximumSegmentCount = 16
    private static let maximumSegmentSize = 16 << 20
    private static let pageSize = 64 << 10

    /// An image that passed.
    struct Image: Hashable, Sendable {
        /// Bytes from the magic to the end of checksum and hash.
        let length: Int
        /// The appended SHA-256; nil where the image has none.
        let digest: [UInt8]?
    }

    /// Why an image does not pass; the device tells nobody: each is `ESP_ERR_OTA_VALIDATE_FAILED`.
    enum Rejection: Error, Hashable, Sendable {
        case magic
        case segmentCount
        case chip
        case revision
        case segmentLength
        case alignment
        case size
        case checksum
        case hash
    }

    func verify(_ flash: Flash, in slot: PartitionTable.Partition) throws(Rejection) -> Image {
        let area = slot.offset..<min(flash.size, slot.offset + slot.size)
        let header = try header(flash, in: area)
        var position = area.lowerBound + Self.headerSize
        var checksum: UInt8 = 0xEF
        for _ in 0..<header.segmentCount {
            let data = try segment(flash, at: position, in: area)
            checksum ^= flash.exclusiveOr(of: data)
            position = data.upperBound
        }
        // The checksum is the last byte of a block of 16, counted from the image's start.
        let end = area.lowerBound + (position - area.lowerBound) / 16 * 16 + 16
        guard end <= area.upperBound else { throw .size }
        guard flash[end - 1] == checksum else { throw .checksum }
        guard header.hasHash else { return Image(length: end - area.lowerBound, digest: nil) }
        return try hashed(flash, area.lowerBound..<end, limit: area.upperBound)
    }

    private func header(
        _ flash: Flash, in area: Range<Int>
    ) throws(Rejection) -> (segmentCount: Int, hasHash: Bool) {
        guard area.count >= Self.headerSize else { throw .size }
        let header = flash.read(area.lowerBound..<area.lowerBound + Self.headerSize)
        guard header[0] == Self.magic else { throw .magic }
        guard header[1] <= Self.maximumSegmentCount else { throw .segmentCount }
        guard header.littleEndian(at: 12) == chip.identifier else { throw .chip }
        let minimum: UInt16 = header.littleEndian(at: 15)
        let maximum: UInt16 = header.littleEndian(at: 17)
        let isUnbounded = maximum == 0 || maximum == .max
        guard chip.revision >= minimum, isUnbounded || chip.revision <= maximum else { throw .revision }
        return (Int(header[1]), header[23] != 0)
    }

    /// Where the data of the segment whose header is at `position` lies.
    private func segment(_ flash: Flash, at position: Int, in area: Range<Int>) throws(Rejection) -> Range<Int> {
        let start = position + Self.segmentHeaderSize
        guard start <= area.upperBound else { throw .size }
        let words = flash.read(position..<start)
        let address: UInt32 = words.littleEndian(at: 0)
        let length = Int(words.littleEndian(at: 4, as: UInt32.self))
        guard length.isMultiple(of: 4), length < Self.maximumSegmentSize else { throw .segmentLength }
        guard start + length <= area.upperBound else { throw .size }
        let isMapped = chip.mapsFromFlash(address)
        guard !isMapped || start % Self.pageSize == Int(address) % Self.pageSize else { throw .alignment }
        return start..<start + length
    }

    private func hashed(_ flash: Flash, _ content: Range<Int>, limit: Int) throws(Rejection) -> Image {
        let end = content.upperBound + HashAlgorithm.sha256.digestLength
        guard end <= limit else { throw .size }
        let digest = flash.read(content.upperBound..<end)
        guard flash.sha256(of: content) == digest else { throw .hash }
        return Image(length: end - content.lowerBound, digest: digest)
    }
}

extension Flash {
    func sha256(of range: Range<Int>) -> [UInt8] {
        var hash = RunningHash(.sha256)
        forEachPiece(of: range) { hash.update($0) }
        return hash.finish()
    }
}

extension Flash {
    fileprivate func exclusiveOr(of range: Range<Int>) -> UInt8 {
        var folded: UInt8 = 0
        forEachPiece(of: range) { folded ^= $0.exclusiveOr }
        return folded
    }
}

extension UnsafeRawBufferPointer {
    /// Eight bytes at a time: an image has a million of them.
    var exclusiveOr: UInt8 {
        var words: UInt64 = 0
        var position = 0
        while position + 8 <= count {
            words ^= loadUnaligned(fromByteOffset: position, as: UInt64.self)
            position += 8
        }
        var folded = Swift.withUnsafeBytes(of: words) { $0.reduce(0) { $0 ^ $1 } }
        for rest in position..<count { folded ^= self[rest] }
        return folded
    }
}

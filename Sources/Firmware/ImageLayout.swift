/// Where the parts of an image are, found by walking its segments as the bootloader does.
struct ImageLayout {
    /// Those whose headers could be read; the last one's data may be cut short when there is a fault.
    let segments: [ImageSegment]
    /// Where the parts behind the segments stand, or what keeps the walk from getting there.
    let footer: Result<Footer, ImageRefusal>

    struct Footer {
        /// Of the checksum's byte, the last of the padding to 16.
        let checksumOffset: Int
        /// Of the appended SHA-256, where there is one.
        let hash: Range<Int>?

        /// First byte after the image.
        var end: Int { hash?.upperBound ?? checksumOffset + 1 }
    }

    init(of bytes: [UInt8], header: ImageHeader) {
        var segments: [ImageSegment] = []
        do throws(ImageRefusal) {
            guard (1...ImageHeader.maximumSegmentCount).contains(header.segmentCount) else {
                throw .segmentCount(header.segmentCount)
            }
            var offset = ImageHeader.length
            for index in 0..<header.segmentCount {
                let segment = try Self.segment(index, of: bytes, at: offset, chip: header.chip)
                segments.append(segment)
                try Self.check(segment, index, size: bytes.count)
                offset = segment.end
            }
            footer = .success(try Self.footer(of: bytes, after: offset, header: header))
        } catch {
            footer = .failure(error)
        }
        self.segments = segments
    }

    private static func segment(
        _ index: Int, of bytes: [UInt8], at offset: Int, chip: Chip
    ) throws(ImageRefusal) -> ImageSegment {
        guard offset + ImageSegment.headerLength <= bytes.count else {
            throw .truncated(.segmentHeader(index), size: bytes.count)
        }
        return ImageSegment(
            loadAddress: bytes.integer(at: offset), length: Int(bytes.integer(at: offset + 4, as: UInt32.self)),
            offset: offset + ImageSegment.headerLength, chip: chip)
    }

    private static func check(_ segment: ImageSegment, _ index: Int, size: Int) throws(ImageRefusal) {
        guard segment.length.isMultiple(of: 4) else {
            throw .segmentLengthNotMultipleOfFour(segment: index, length: segment.length)
        }
        guard segment.length < ImageSegment.lengthLimit else {
            throw .segmentTooLong(segment: index, length: segment.length)
        }
        guard segment.end <= size else { throw .truncated(.segmentData(index), size: size) }
    }

    private static func footer(
        of bytes: [UInt8], after segmentsEnd: Int, header: ImageHeader
    ) throws(ImageRefusal) -> Footer {
        let checksumOffset = (segmentsEnd + 1).roundedUp(to: 16) - 1
        guard checksumOffset < bytes.count else { throw .truncated(.checksum, size: bytes.count) }
        guard header.hashAppended else { return Footer(checksumOffset: checksumOffset, hash: nil) }
        let hash = (checksumOffset + 1)..<(checksumOffset + 33)
        guard hash.upperBound <= bytes.count else { throw .truncated(.hash, size: bytes.count) }
        return Footer(checksumOffset: checksumOffset, hash: hash)
    }
}

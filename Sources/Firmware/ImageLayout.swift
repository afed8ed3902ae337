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

    init<Source: ImageSource>(of source: Source, header: ImageHeader) throws(Source.Failure) {
        var walk = Walk(header: header, size: source.size)
        while let offset = walk.nextSegment {
            walk.take(segmentHeader: try source.bytes(in: offset..<(offset + ImageSegment.headerLength)))
        }
        segments = walk.segments
        footer = walk.footer
    }
}

/// The walk along the segments, from one segment's header to the next. It is told the bytes that it asks for.
private struct Walk {
    private let header: ImageHeader
    private let size: Int
    private var offset = ImageHeader.length
    private var refusal: ImageRefusal?
    private(set) var segments: [ImageSegment] = []

    init(header: ImageHeader, size: Int) {
        self.header = header
        self.size = size
        if !(1...ImageHeader.maximumSegmentCount).contains(header.segmentCount) {
            refusal = .segmentCount(header.segmentCount)
        }
    }

    /// Where the header of the next segment stands; nil at the end of the walk.
    var nextSegment: Int? {
        mutating get {
            guard refusal == nil, segments.count < header.segmentCount else { return nil }
            guard offset + ImageSegment.headerLength <= size else {
                refusal = .truncated(.segmentHeader(segments.count), size: size)
                return nil
            }
            return offset
        }
    }

    mutating func take(segmentHeader bytes: [UInt8]) {
        let segment = ImageSegment(
            loadAddress: bytes.integer(at: 0), length: Int(bytes.integer(at: 4, as: UInt32.self)),
            offset: offset + ImageSegment.headerLength, chip: header.chip)
        refusal = fault(of: segment, segments.count)
        segments.append(segment)
        offset = segment.end
    }

    private func fault(of segment: ImageSegment, _ index: Int) -> ImageRefusal? {
        guard segment.length.isMultiple(of: 4) else {
            return .segmentLengthNotMultipleOfFour(segment: index, length: segment.length)
        }
        guard segment.length < ImageSegment.lengthLimit else {
            return .segmentTooLong(segment: index, length: segment.length)
        }
        return segment.end <= size ? nil : .truncated(.segmentData(index), size: size)
    }

    var footer: Result<ImageLayout.Footer, ImageRefusal> {
        if let refusal { return .failure(refusal) }
        let checksumOffset = (offset + 1).roundedUp(to: 16) - 1
        guard checksumOffset < size else { return .failure(.truncated(.checksum, size: size)) }
        guard header.hashAppended else { return .success(.init(checksumOffset: checksumOffset, hash: nil)) }
        let hash = (checksumOffset + 1)..<(checksumOffset + 33)
        guard hash.upperBound <= size else { return .failure(.truncated(.hash, size: size)) }
        return .success(.init(checksumOffset: checksumOffset, hash: hash))
    }
}

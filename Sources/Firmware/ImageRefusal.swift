/// Why a file is not a sound application image for any board family. The first reason found, from the outside in:
/// what the file is, its header, its segments, its descriptor, its checksum, its hash, what stands behind it.
///
/// Offsets and sizes are bytes from the start of the file; segments count from 0.
public enum ImageRefusal: Error, Hashable, Sendable {
    // What the file is.
    case empty
    /// Not an ESP image of any kind.
    case notAnImage(firstByte: UInt8)
    case erasedFlash
    case compressed(FileKind.Compression)
    case elf
    case uf2
    case partitionTable
    case otadata
    case esp8266Image
    /// Begins as an ESP8266 image does, in a file that is not whole words.
    case sizeNotMultipleOfFour(size: Int)
    case bootloader
    case mergedImage
    /// A RAM application, a simple-boot image, a stub, or an application of before ESP-IDF 3.2.
    case noApplicationDescriptor(FileKind)

    // The header.
    case truncated(Part, size: Int)
    case unsupportedChip(Chip)
    case segmentCount(Int)
    case spiMode(UInt8)
    case hashAppendedField(UInt8)
    /// No chip can be both.
    case contradictoryRevisions(minimum: ChipRevision, maximum: ChipRevision)

    // The segments.
    case segmentLengthNotMultipleOfFour(segment: Int, length: Int)
    case segmentTooLong(segment: Int, length: Int)
    /// A segment mapped from flash whose place in the file and load address differ modulo the MMU page.
    case mappedSegmentMisaligned(segment: Int, offset: Int, loadAddress: UInt32)
    /// A segment that is loaded to where the chip has no memory, or reaches past the end of it.
    case segmentOutsideMemory(segment: Int, loadAddress: UInt32)
    case segmentsOverlap(Int, Int)

    // The application descriptor.
    /// It does not lie within the first segment.
    case descriptorOutsideSegment
    /// The field is not NUL-terminated, printable UTF-8.
    case unreadableText(DescriptorText)
    /// `project_name` names a family that is built on another chip.
    case chipOfAnotherFamily(Chip, project: BoardFamily)

    // Checksum and hash.
    case checksumMismatch(stored: UInt8, computed: UInt8)
    case noAppendedHash
    case hashMismatch(stored: [UInt8], computed: [UInt8])

    // What stands behind the image.
    /// Neither 0xFF nor a signature.
    case foreignTail(offset: Int, byte: UInt8)
    case damagedSignatureSector(offset: Int, SignatureSector.Fault)

    /// What the file ends in the middle of.
    public enum Part: Hashable, Sendable {
        case header
        case segmentHeader(Int)
        case segmentData(Int)
        case checksum
        case hash
    }

    public enum DescriptorText: Hashable, Sendable {
        case version, projectName
    }
}

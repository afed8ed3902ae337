public import CommandLineTools
public import Firmware
import Glibc

extension CommandFailure {
    /// An image that is refused (21), whatever ears it is for.
    public init(_ refusal: ImageRefusal, of file: String) {
        self.init(
            .image, code: refusal.code, cause: "\(file.printable): \(refusal.inWords)", remedy: refusal.remedy)
    }

    public init(_ error: ImageFileError, of path: String) {
        self.init(.image, code: error.code, cause: "\(path.printable): \(error.inWords)", remedy: error.remedy)
    }
}

extension ImageFileError {
    fileprivate var code: String {
        switch self {
        case .missing: "missing"
        case .folder: "folder"
        case .notRegularFile: "not_regular"
        case .tooLarge: "too_large"
        case .unreadable: "unreadable"
        case .changedWhileRead: "changed"
        }
    }

    fileprivate var remedy: String? {
        switch self {
        case .missing: "give the path of an image; espurr-ota download VERSION puts a release's in a folder"
        case .folder: "give the path of the image in it"
        default: nil
        }
    }

    var inWords: String {
        switch self {
        case .missing: "there is no such file"
        case .folder: "it is a folder"
        case .notRegularFile: "it is not a regular file"
        case .tooLarge(let size, let limit): "\(size) bytes are more than any image (\(limit))"
        case .unreadable(let number): String(cString: strerror(number))
        case .changedWhileRead: "it changed while it was read"
        }
    }
}

extension FileKind {
    /// For people.
    public var inWords: String {
        switch self {
        case .application: "application"
        case .bootloader: "bootloader"
        case .mergedImage: "merged (factory) image"
        case .ramApplication: "RAM application"
        case .simpleBootImage: "simple-boot image"
        case .headerStub: "header stub"
        case .esp8266Application: "ESP8266 application"
        case .damagedImage: "damaged image, or one for ESP8266"
        case .partitionTable: "partition table"
        case .otadata: "otadata partition"
        case .compressed(let compression): "compressed file (\(compression))"
        case .elf: "ELF file"
        case .uf2: "UF2 file"
        case .erasedFlash: "erased flash"
        case .empty: "empty file"
        case .unknown: "unknown"
        }
    }

    /// For scripts.
    public var code: String {
        switch self {
        case .application: "application"
        case .bootloader: "bootloader"
        case .mergedImage: "merged_image"
        case .ramApplication: "ram_application"
        case .simpleBootImage: "simple_boot_image"
        case .headerStub: "header_stub"
        case .esp8266Application: "esp8266_application"
        case .damagedImage: "damaged_image"
        case .partitionTable: "partition_table"
        case .otadata: "otadata"
        case .compressed(let compression): "\(compression)"
        case .elf: "elf"
        case .uf2: "uf2"
        case .erasedFlash: "erased_flash"
        case .empty: "empty"
        case .unknown: "unknown"
        }
    }
}

extension ImageRefusal {
    var code: String {
        switch self {
        case .empty: "empty"
        case .notAnImage: "not_an_image"
        case .erasedFlash: "erased_flash"
        case .compressed: "compressed"
        case .elf: "elf"
        case .uf2: "uf2"
        case .partitionTable: "partition_table"
        case .otadata: "otadata"
        case .esp8266Image: "esp8266_image"
        case .sizeNotMultipleOfFour: "size_not_multiple_of_four"
        case .bootloader: "bootloader"
        case .mergedImage: "merged_image"
        case .noApplicationDescriptor: "no_application_descriptor"
        case .truncated: "truncated"
        case .unsupportedChip: "unsupported_chip"
        case .segmentCount: "segment_count"
        case .spiMode: "spi_mode"
        case .hashAppendedField: "hash_appended_field"
        case .contradictoryRevisions: "contradictory_revisions"
        case .segmentLengthNotMultipleOfFour: "segment_length"
        case .segmentTooLong: "segment_too_long"
        case .mappedSegmentMisaligned: "segment_misaligned"
        case .segmentOutsideMemory: "segment_outside_memory"
        case .segmentsOverlap: "segments_overlap"
        case .descriptorOutsideSegment: "descriptor_outside_segment"
        case .unreadableText: "unreadable_text"
        case .chipOfAnotherFamily: "chip_of_another_family"
        case .checksumMismatch: "checksum_mismatch"
        case .noAppendedHash: "no_appended_hash"
        case .hashMismatch: "hash_mismatch"
        case .foreignTail: "foreign_tail"
        case .damagedSignatureSector: "damaged_signature_sector"
        }
    }

    public var inWords: String {
        switch self {
        case .empty: "the file is empty"
        case .notAnImage(let byte): "not an ESP image (first byte \(hex(byte)))"
        case .erasedFlash: "nothing but erased flash"
        case .compressed(let compression): "compressed (\(compression)): unpack it first"
        case .elf: "an ELF file, from which images are made"
        case .uf2: "a UF2 file, not an image"
        case .partitionTable: "a partition table, not an application"
        case .otadata: "an otadata partition, not an application"
        case .esp8266Image: "an ESP8266 image"
        case .sizeNotMultipleOfFour(let size): "\(size) bytes are no multiple of 4, as every image is"
        case .bootloader: "a bootloader, not an application"
        case .mergedImage: "a merged (factory) image"
        case .noApplicationDescriptor(let kind): "no application descriptor (\(kind.inWords))"
        case .truncated(let part, let size): "cut off after \(size) bytes, within \(part.inWords)"
        case .unsupportedChip(let chip): "no board family uses this chip (\(chip.name ?? "id \(chip.id)"))"
        case .segmentCount(let count): "\(count) segments; at least 1 and at most \(ImageHeader.maximumSegmentCount)"
        case .spiMode(let field): "unknown SPI mode (\(hex(field)))"
        case .hashAppendedField(let field): "the field for the appended hash is \(hex(field)), neither 0 nor 1"
        case .contradictoryRevisions(let minimum, let maximum):
            "chip revisions from \(minimum.major).\(minimum.minor) to \(maximum.major).\(maximum.minor) contradict"
        case .segmentLengthNotMultipleOfFour(let segment, let length):
            "segment \(segment): its length \(length) is no multiple of 4"
        case .segmentTooLong(let segment, let length): "segment \(segment): \(length) bytes are too long"
        case .mappedSegmentMisaligned(let segment, let offset, let address):
            "segment \(segment): offset \(hex(offset)) and load address \(hex(address)) do not fit one flash page"
        case .segmentOutsideMemory(let segment, let address):
            "segment \(segment): the chip has no such memory at \(hex(address))"
        case .segmentsOverlap(let one, let other): "segments \(one) and \(other) overlap"
        case .descriptorOutsideSegment: "the application descriptor does not lie within the first segment"
        case .unreadableText(let field):
            "the application descriptor's \(field == .version ? "version" : "project name") is not readable text"
        case .chipOfAnotherFamily(let chip, let family):
            "made for \(chip.name ?? "chip \(chip.id)"), and family \(family.name) is built on another chip"
        default: tailInWords
        }
    }

    private var tailInWords: String {
        switch self {
        case .checksumMismatch(let stored, let computed):
            "its checksum is \(hex(stored)), and it should be \(hex(computed)): the file is damaged"
        case .noAppendedHash: "no appended SHA-256"
        case .hashMismatch: "its SHA-256 is not the appended one: the file is damaged"
        case .foreignTail(let offset, let byte):
            "something that belongs to no image stands behind it (\(hex(byte)) at \(offset))"
        case .damagedSignatureSector(let offset, _): "the signature sector at \(offset) is damaged"
        default: "not a sound image"
        }
    }

    var remedy: String? {
        switch self {
        case .mergedImage, .bootloader, .partitionTable, .otadata: "flash it by USB, or use the application file"
        case .truncated, .checksumMismatch, .hashMismatch, .sizeNotMultipleOfFour: "fetch or build it again"
        case .noAppendedHash: "build it with the appended SHA-256 that ESP-IDF adds by default"
        default: nil
        }
    }
}

extension ImageRefusal.Part {
    fileprivate var inWords: String {
        switch self {
        case .header: "the header"
        case .segmentHeader(let number): "the header of segment \(number)"
        case .segmentData(let number): "segment \(number)"
        case .checksum: "the checksum"
        case .hash: "the appended hash"
        }
    }
}

/// `0xE9`
func hex(_ number: some BinaryInteger) -> String { "0x" + String(number, radix: 16, uppercase: true) }

import Firmware

/// The refusals without their data, so that a test can ask whether each has been met.
enum RefusalReason: String, CaseIterable {
    case empty, notAnImage, erasedFlash, compressed, elf, uf2, partitionTable, otadata, esp8266Image,
        sizeNotMultipleOfFour, bootloader, mergedImage, noApplicationDescriptor
    case truncated, unsupportedChip, segmentCount, spiMode, hashAppendedField, contradictoryRevisions
    case segmentLengthNotMultipleOfFour, segmentTooLong, mappedSegmentMisaligned, segmentOutsideMemory, segmentsOverlap
    case descriptorOutsideSegment, unreadableText, chipOfAnotherFamily
    case checksumMismatch, noAppendedHash, hashMismatch
    case foreignTail, damagedSignatureSector

    // A switch without default: a new refusal does not compile until it is tested.
    init(_ refusal: ImageRefusal) {
        switch refusal {
        case .empty: self = .empty
        case .notAnImage: self = .notAnImage
        case .erasedFlash: self = .erasedFlash
        case .compressed: self = .compressed
        case .elf: self = .elf
        case .uf2: self = .uf2
        case .partitionTable: self = .partitionTable
        case .otadata: self = .otadata
        case .esp8266Image: self = .esp8266Image
        case .sizeNotMultipleOfFour: self = .sizeNotMultipleOfFour
        case .bootloader: self = .bootloader
        case .mergedImage: self = .mergedImage
        case .noApplicationDescriptor: self = .noApplicationDescriptor
        case .truncated: self = .truncated
        case .unsupportedChip: self = .unsupportedChip
        case .segmentCount: self = .segmentCount
        case .spiMode: self = .spiMode
        case .hashAppendedField: self = .hashAppendedField
        case .contradictoryRevisions: self = .contradictoryRevisions
        case .segmentLengthNotMultipleOfFour: self = .segmentLengthNotMultipleOfFour
        case .segmentTooLong: self = .segmentTooLong
        case .mappedSegmentMisaligned: self = .mappedSegmentMisaligned
        case .segmentOutsideMemory: self = .segmentOutsideMemory
        case .segmentsOverlap: self = .segmentsOverlap
        case .descriptorOutsideSegment: self = .descriptorOutsideSegment
        case .unreadableText: self = .unreadableText
        case .chipOfAnotherFamily: self = .chipOfAnotherFamily
        case .checksumMismatch: self = .checksumMismatch
        case .noAppendedHash: self = .noAppendedHash
        case .hashMismatch: self = .hashMismatch
        case .foreignTail: self = .foreignTail
        case .damagedSignatureSector: self = .damagedSignatureSector
        }
    }
}

// The rules that make an image sound, in the order in which the first broken one is named.

extension ImageInspection {
    /// Only applications are for an application slot. What is damaged is judged further, for the reason.
    func checkKind() throws(ImageRefusal) {
        switch kind {
        case .application, .damagedImage: break
        case .bootloader: throw .bootloader
        case .mergedImage: throw .mergedImage
        case .ramApplication, .simpleBootImage, .headerStub: throw .noApplicationDescriptor(kind)
        case .esp8266Application: throw .esp8266Image
        case .partitionTable: throw .partitionTable
        case .otadata: throw .otadata
        case .compressed(let compression): throw .compressed(compression)
        case .elf: throw .elf
        case .uf2: throw .uf2
        case .erasedFlash: throw .erasedFlash
        case .empty: throw .empty
        case .unknown: throw .notAnImage(firstByte: head[0])
        }
    }

    /// Header and segments of an image that is all there.
    func framing() throws(ImageRefusal) -> (ImageHeader, ImageLayout) {
        guard let header, let layout else {
            guard size >= ImageHeader.length else { throw .truncated(.header, size: size) }
            throw .sizeNotMultipleOfFour(size: size)
        }
        guard case .failure(let refusal) = layout.footer else { return (header, layout) }
        throw refusal
    }

    /// The descriptor, its version, and whose image it says it is.
    func applicationDescriptor(
        header: ImageHeader, layout: ImageLayout
    ) throws(ImageRefusal) -> (ApplicationDescriptor, version: String, SoundImage.FamilyMatch) {
        guard ApplicationDescriptor.isMarked(head) else { throw .noApplicationDescriptor(kind) }
        guard let descriptor, let first = layout.segments.first, first.length >= ApplicationDescriptor.length else {
            throw .descriptorOutsideSegment
        }
        guard let version = descriptor.version else { throw .unreadableText(.version) }
        guard let project = descriptor.projectName else { throw .unreadableText(.projectName) }
        guard let family = BoardFamily(projectName: project) else {
            return (descriptor, version, .notEspurr(projectName: project))
        }
        guard family.chip == header.chip else { throw .chipOfAnotherFamily(header.chip, project: family) }
        return (descriptor, version, .family(family))
    }

    /// The appended hash, when it and the checksum are right.
    func checkedDigest() throws(ImageRefusal) -> [UInt8] {
        if let checksum, !checksum.matches {
            throw .checksumMismatch(stored: checksum.stored, computed: checksum.computed)
        }
        guard let hash else { throw .noAppendedHash }
        guard hash.matches else { throw .hashMismatch(stored: hash.stored, computed: hash.computed) }
        return hash.stored
    }

    func checkTail() throws(ImageRefusal) {
        switch tail {
        case nil, .nothing, .erased, .signatureTrailer, .signatureSector: break
        case .damagedSignatureSector(let offset, let fault): throw .damagedSignatureSector(offset: offset, fault)
        case .foreign(let offset, let byte): throw .foreignTail(offset: offset, byte: byte)
        }
    }
}

extension ImageHeader {
    func checkFields() throws(ImageRefusal) {
        guard chip.isSupported else { throw .unsupportedChip(chip) }
        guard spiMode != nil else { throw .spiMode(spiModeField) }
        guard hashAppendedField <= 1 else { throw .hashAppendedField(hashAppendedField) }
        if let maximumRevision, maximumRevision < minimumRevision {
            throw .contradictoryRevisions(minimum: minimumRevision, maximum: maximumRevision)
        }
    }
}

extension ImageLayout {
    /// Where the segments go on the chip.
    func checkPlacement() throws(ImageRefusal) {
        for (index, segment) in segments.enumerated() {
            try Self.check(segment, index)
        }
        for (index, segment) in segments.enumerated() where segment.isPlaced {
            let other = segments[..<index].firstIndex { $0.isPlaced && $0.addresses.overlaps(segment.addresses) }
            if let other { throw .segmentsOverlap(other, index) }
        }
    }

    private static func check(_ segment: ImageSegment, _ index: Int) throws(ImageRefusal) {
        switch segment.placement {
        case .nowhere:
            throw .segmentOutsideMemory(segment: index, loadAddress: segment.loadAddress)
        case .mapped where (Int(segment.loadAddress) - segment.offset) % MemoryMap.mmuPage != 0:
            throw .mappedSegmentMisaligned(
                segment: index, offset: segment.offset, loadAddress: segment.loadAddress)
        case .padding, .mapped, .loaded, .unmapped: break
        }
    }
}

extension ImageSegment {
    /// Whether it takes up addresses.
    fileprivate var isPlaced: Bool {
        length > 0 && placement != .padding
    }
}

/// Tells what a file is by what it begins with, and for ESP images by what they hold.
struct FileRecognition {
    let kind: FileKind
    let chip: Chip?
    let header: ImageHeader?
    let layout: ImageLayout?
    let tail: ImageTail?
    let sums: ContentSums

    /// Bytes of a file's beginning, up to where the last place is that a header may have. A file within ``OTAData/length``
    /// is all in them.
    static let headLength = 0x2000 + ImageHeader.length

    private enum Beginning {
        case plain(FileKind, Chip?)
        case image(ImageHeader)
    }

    /// - Parameter head: the first ``headLength`` bytes, or all where there are fewer.
    init<Source: ImageSource>(of source: Source, head: [UInt8]) throws(Source.Failure) {
        switch try Self.beginning(of: source, head) {
        case .plain(let kind, let chip):
            (self.kind, self.chip, header, layout, tail) = (kind, chip, nil, nil, nil)
            sums = try ContentSums(of: source)
        case .image(let header):
            let layout = try ImageLayout(of: source, header: header)
            let sums = try ContentSums(of: source, layout)
            let tail = try ImageTail(of: source, behind: layout, sums)
            kind = try Self.imageKind(of: source, head, chip: header.chip, layout: layout, tail: tail)
            chip = header.chip
            self.header = header
            self.layout = layout
            self.tail = tail
            self.sums = sums
        }
    }

    private static func beginning<Source: ImageSource>(
        of source: Source, _ head: [UInt8]
    ) throws(Source.Failure) -> Beginning {
        if let kind = plainKind(of: head) { return .plain(kind, nil) }
        if try isErased(source, head) { return .plain(.erasedFlash, nil) }
        if let base = erasedLead(of: head) { return .plain(.mergedImage, Chip(id: head.integer(at: base + 12))) }
        if ESP8266Image.isLikely(head) {
            // Flash is written in words. What is not whole words cannot be named for certain.
            return .plain(source.size.isMultiple(of: 4) ? .esp8266Application : .damagedImage, nil)
        }
        if let header = ImageHeader(head) { return .image(header) }
        return .plain(head[0] == ImageHeader.magic ? .damagedImage : .unknown, nil)
    }

    /// Kinds that stand by themselves, whatever else the first byte could begin.
    private static func plainKind(of head: [UInt8]) -> FileKind? {
        if head.isEmpty { return .empty }
        if let (_, kind) = signatures.first(where: { head.starts(with: $0.0) }) { return kind }
        if PartitionTable.hasRow(in: head, at: 0) { return .partitionTable }
        if OTAData.isValid(head) { return .otadata }
        return nil
    }

    private static func isErased<Source: ImageSource>(
        _ source: Source, _ head: [UInt8]
    ) throws(Source.Failure) -> Bool {
        guard head.firstProgrammed(in: 0..<head.count) == nil else { return false }
        return try source.firstProgrammed(in: head.count..<source.size) == nil
    }

    private static let signatures: [([UInt8], FileKind)] = [
        ([0x1F, 0x8B], .compressed(.gzip)),
        ([0x50, 0x4B, 0x03, 0x04], .compressed(.zip)),
        ([0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00], .compressed(.xz)),
        ([0x28, 0xB5, 0x2F, 0xFD], .compressed(.zstandard)),
        ([0x42, 0x5A, 0x68], .compressed(.bzip2)),
        ([0x7F, 0x45, 0x4C, 0x46], .elf),
        ([0x55, 0x46, 0x32, 0x0A], .uf2),
    ]

    /// A merged image from address 0 of a chip whose bootloader stands higher: erased flash, then an image.
    private static func erasedLead(of head: [UInt8]) -> Int? {
        bootloaderOffsets.first { base in
            head.count >= base + ImageHeader.length && head[base] == ImageHeader.magic
                && head.firstProgrammed(in: 0..<base) == nil
        }
    }

    /// ESP32 and ESP32-S2; ESP32-P4 and ESP32-C5.
    private static let bootloaderOffsets = [0x1000, 0x2000]

    private static func imageKind<Source: ImageSource>(
        of source: Source, _ head: [UInt8], chip: Chip, layout: ImageLayout, tail: ImageTail?
    ) throws(Source.Failure) -> FileKind {
        if ApplicationDescriptor.isMarked(head) { return .application }
        guard case .success(let footer) = layout.footer else {
            return isBootloader(head, chip: chip, layout: layout) ? .bootloader : .damagedImage
        }
        if try hasFlashContents(source, after: footer.end) { return .mergedImage }
        if layout.segments.allSatisfy({ $0.length == 0 }) { return .headerStub }
        if isBootloader(head, chip: chip, layout: layout) { return .bootloader }
        if layout.segments.contains(where: { $0.placement == .mapped }) { return .application }
        if case .foreign = tail { return .simpleBootImage }
        return .ramApplication
    }

    /// A bootloader names itself since ESP-IDF 5.2; older ones are told by where their code is linked to.
    private static func isBootloader(_ head: [UInt8], chip: Chip, layout: ImageLayout) -> Bool {
        if BootloaderDescriptor.isMarked(head) { return true }
        guard let code = MemoryMap.bootloaderCode(of: chip) else { return false }
        return layout.segments.contains { $0.length > 0 && code.contains($0.loadAddress) }
    }

    /// Whether a partition table or an application stands at a flash sector's start, behind the first image.
    private static func hasFlashContents<Source: ImageSource>(
        _ source: Source, after end: Int
    ) throws(Source.Failure) -> Bool {
        for sector in stride(from: end.roundedUp(to: flashSector), to: source.size, by: flashSector) {
            let start = try source.bytes(in: sector..<min(sector + ApplicationDescriptor.offset + 4, source.size))
            if PartitionTable.hasRow(in: start, at: 0) || isApplication(start) { return true }
        }
        return false
    }

    private static func isApplication(_ start: [UInt8]) -> Bool {
        start[0] == ImageHeader.magic && ApplicationDescriptor.isMarked(start)
    }

    private static let flashSector = 4096
}

extension ContentSums {
    /// What an image's checksum, its appended hash and a signature sector are held against.
    fileprivate init<Source: ImageSource>(of source: Source, _ layout: ImageLayout) throws(Source.Failure) {
        guard case .success(let footer) = layout.footer else {
            try self.init(of: source)
            return
        }
        let sector = footer.end.roundedUp(to: SignatureSector.length)
        try self.init(
            of: source, ranges: layout.segments.map { $0.offset..<$0.end },
            prefixes: [footer.hash?.lowerBound, sector].compactMap { $0 })
    }
}

extension ImageTail {
    /// nil where the image's end could not be found.
    fileprivate init?<Source: ImageSource>(
        of source: Source, behind layout: ImageLayout, _ sums: ContentSums
    ) throws(Source.Failure) {
        guard case .success(let footer) = layout.footer else { return nil }
        try self.init(of: source, from: footer.end, sums)
    }
}

/// Tells what a file is by what it begins with, and for ESP images by what they hold.
struct FileRecognition {
    let kind: FileKind
    let chip: Chip?
    let header: ImageHeader?
    let layout: ImageLayout?
    let tail: ImageTail?

    init(of bytes: [UInt8]) {
        if let kind = Self.plainKind(of: bytes) {
            self.init(kind, chip: nil)
        } else if let base = Self.erasedLead(of: bytes) {
            self.init(.mergedImage, chip: Chip(id: bytes.integer(at: base + 12)))
        } else if ESP8266Image.isLikely(bytes) {
            // Flash is written in words. What is not whole words cannot be named for certain.
            self.init(bytes.count.isMultiple(of: 4) ? .esp8266Application : .damagedImage, chip: nil)
        } else if let header = ImageHeader(bytes) {
            self.init(bytes, header: header)
        } else {
            self.init(bytes[0] == ImageHeader.magic ? .damagedImage : .unknown, chip: nil)
        }
    }

    private init(_ kind: FileKind, chip: Chip?) {
        self.kind = kind
        self.chip = chip
        header = nil
        layout = nil
        tail = nil
    }

    private init(_ bytes: [UInt8], header: ImageHeader) {
        let layout = ImageLayout(of: bytes, header: header)
        let end = try? layout.footer.get().end
        let tail = end.map { ImageTail(of: bytes, from: $0) }
        self.kind = Self.imageKind(of: bytes, chip: header.chip, layout: layout, tail: tail)
        self.chip = header.chip
        self.header = header
        self.layout = layout
        self.tail = tail
    }

    /// Kinds that stand by themselves, whatever else the first byte could begin.
    private static func plainKind(of bytes: [UInt8]) -> FileKind? {
        if bytes.isEmpty { return .empty }
        if let (_, kind) = signatures.first(where: { bytes.starts(with: $0.0) }) { return kind }
        if PartitionTable.hasRow(in: bytes, at: 0) { return .partitionTable }
        if OTAData.isValid(bytes) { return .otadata }
        if bytes.firstProgrammed(in: 0..<bytes.count) == nil { return .erasedFlash }
        return nil
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
    private static func erasedLead(of bytes: [UInt8]) -> Int? {
        bootloaderOffsets.first { base in
            bytes.count >= base + ImageHeader.length && bytes[base] == ImageHeader.magic
                && bytes.firstProgrammed(in: 0..<base) == nil
        }
    }

    /// ESP32 and ESP32-S2; ESP32-P4 and ESP32-C5.
    private static let bootloaderOffsets = [0x1000, 0x2000]

    private static func imageKind(of bytes: [UInt8], chip: Chip, layout: ImageLayout, tail: ImageTail?) -> FileKind {
        if ApplicationDescriptor.isMarked(bytes) { return .application }
        guard case .success(let footer) = layout.footer else {
            return isBootloader(bytes, chip: chip, layout: layout) ? .bootloader : .damagedImage
        }
        if hasFlashContents(bytes, after: footer.end) { return .mergedImage }
        if layout.segments.allSatisfy({ $0.length == 0 }) { return .headerStub }
        if isBootloader(bytes, chip: chip, layout: layout) { return .bootloader }
        if layout.segments.contains(where: { $0.placement == .mapped }) { return .application }
        if case .foreign = tail { return .simpleBootImage }
        return .ramApplication
    }

    /// A bootloader names itself since ESP-IDF 5.2; older ones are told by where their code is linked to.
    private static func isBootloader(_ bytes: [UInt8], chip: Chip, layout: ImageLayout) -> Bool {
        if BootloaderDescriptor.isMarked(bytes) { return true }
        guard let code = MemoryMap.bootloaderCode(of: chip) else { return false }
        return layout.segments.contains { $0.length > 0 && code.contains($0.loadAddress) }
    }

    /// Whether a partition table or an application stands at a flash sector's start, behind the first image.
    private static func hasFlashContents(_ bytes: [UInt8], after end: Int) -> Bool {
        stride(from: end.roundedUp(to: flashSector), to: bytes.count, by: flashSector).contains { sector in
            PartitionTable.hasRow(in: bytes, at: sector) || hasApplication(in: bytes, at: sector)
        }
    }

    private static func hasApplication(in bytes: [UInt8], at offset: Int) -> Bool {
        let descriptor = offset + ApplicationDescriptor.offset
        return bytes[offset] == ImageHeader.magic && bytes.count >= descriptor + 4
            && bytes.integer(at: descriptor) == ApplicationDescriptor.magic
    }

    private static let flashSector = 4096
}

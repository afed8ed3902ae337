/// The partition table of ESP-IDF, at 0x8000: rows of 32 bytes, an MD5 row, then FF.
struct PartitionTable: Hashable, Sendable {
    static let offset = 0x8000
    static let maximumSize = 0xC00
    private static let rowSize = 32
    private static let rowMagic: [UInt8] = [0xAA, 0x50]
    private static let digestMagic: [UInt8] = [0xEB, 0xEB] + [UInt8](repeating: 0xFF, count: 14)

    struct Partition: Hashable, Sendable {
        let type: UInt8
        let subtype: UInt8
        let offset: Int
        let size: Int
        let label: String
    }

    let partitions: [Partition]

    /// The layout that every board family has: settings, otadata, two application slots.
    /// - Parameter secondSlotSize: bytes of ota_1; nil: as large as the family's.
    static func standard(for family: BoardFamily, secondSlotSize: Int? = nil) -> PartitionTable {
        let offsets = family.slotOffsets
        return PartitionTable(partitions: [
            Partition(type: 1, subtype: 0x02, offset: 0x9000, size: 0x5000, label: "nvs"),
            Partition(type: 1, subtype: 0x00, offset: 0xE000, size: 0x2000, label: "otadata"),
            Partition(type: 0, subtype: 0x10, offset: offsets[0], size: family.slotSize, label: "ota_0"),
            Partition(
                type: 0, subtype: 0x11, offset: offsets[1], size: secondSlotSize ?? family.slotSize, label: "ota_1"),
        ])
    }

    /// Application slots, ota_0 first.
    var slots: [Partition] {
        partitions.filter { $0.type == 0 && $0.subtype & 0xF0 == 0x10 }.sorted { $0.subtype < $1.subtype }
    }

    /// Where otadata, of two sectors, starts.
    var otaDataOffset: Int? {
        partitions.first { $0.type == 1 && $0.subtype == 0 && $0.size >= 2 * Flash.sectorSize }?.offset
    }

    func encoded() -> [UInt8] {
        var rows: [UInt8] = []
        for partition in partitions {
            rows.append(contentsOf: Self.rowMagic + [partition.type, partition.subtype])
            rows.append(littleEndian: UInt32(partition.offset))
            rows.append(littleEndian: UInt32(partition.size))
            rows.append(text: partition.label, paddedTo: 16)
            rows.append(littleEndian: UInt32(0))
        }
        return rows + Self.digestMagic + MD5Digest.digest(of: rows)
    }

    /// Nil where the flash holds no table whose digest is right.
    init?(in flash: Flash) {
        guard flash.size >= Self.offset + Self.maximumSize else { return nil }
        let area = flash.read(Self.offset..<Self.offset + Self.maximumSize)
        var found: [Partition] = []
        for start in stride(from: 0, to: area.count, by: Self.rowSize) {
            let row = Array(area[start..<start + Self.rowSize])
            if row.starts(with: Self.digestMagic) {
                guard Array(row[16...]) == MD5Digest.digest(of: Array(area[..<start])) else { return nil }
                self.init(partitions: found)
                return
            }
            guard let partition = Partition(row: row), partition.offset + partition.size <= flash.size else {
                return nil
            }
            found.append(partition)
        }
        return nil
    }

    init(partitions: [Partition]) { self.partitions = partitions }
}

extension PartitionTable.Partition {
    fileprivate init?(row: [UInt8]) {
        guard row.starts(with: [0xAA, 0x50]) else { return nil }
        self.init(
            type: row[2], subtype: row[3], offset: Int(row.littleEndian(at: 4, as: UInt32.self)),
            size: Int(row.littleEndian(at: 8, as: UInt32.self)), label: row.text(in: 12..<28))
    }
}

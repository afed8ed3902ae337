import Testing

@testable import Simulator

@Suite struct FlashTests {
    @Test func `programming only clears bits, erasing sets a whole sector`() {
        var flash = Flash(size: 2 * Flash.sectorSize)
        flash.program([0xF0, 0x0F], at: 100)
        flash.program([0x3C, 0xFF], at: 100)
        #expect(flash.read(100..<102) == [0x30, 0x0F])
        flash.eraseSector(at: 0)
        #expect(flash == Flash(size: 2 * Flash.sectorSize))
    }

    @Test func `it knows the sectors that changed since somebody kept them`() {
        var flash = Flash(size: 4 * Flash.sectorSize)
        flash.eraseSector(at: Flash.sectorSize)
        flash.program([1, 2], at: 3 * Flash.sectorSize - 1)
        #expect(flash.changedSectors == [1, 2, 3])
        flash.keptChanges()
        flash.program([], at: 0)
        #expect(flash.changedSectors == [])
        flash.operationsUntilPowerLoss = 0
        flash.eraseSector(at: 0)
        #expect(flash.changedSectors == [])
    }

    @Test func `power lost in an operation leaves half of it, and nothing comes after`() {
        var flash = Flash(size: Flash.sectorSize)
        flash.operationsUntilPowerLoss = 2
        flash.program([1, 2], at: 0)
        #expect(!flash.hasLostPower)
        flash.program([3, 4, 5, 6], at: 2)
        #expect(flash.hasLostPower)
        flash.program([7, 8], at: 8)
        #expect(flash.read(0..<10) == [1, 2, 3, 4, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF])
    }

    @Test(arguments: [
        ("", "d41d8cd98f00b204e9800998ecf8427e"),
        ("abc", "900150983cd24fb0d6963f7d28e17f72"),
        ("abcdefghijklmnopqrstuvwxyz", "c3fcd3d76192e4007dfb496cca67e13b"),
        (
            "12345678901234567890123456789012345678901234567890123456789012345678901234567890",
            "57edf4a22be3c955ac49da2e2107b67a"
        ),
    ])
    func `MD5 is RFC 1321's`(text: String, digest: String) {
        let hexadecimal = MD5Digest.digest(of: Array(text.utf8)).map { byte in
            (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }
        #expect(hexadecimal.joined() == digest)
    }

    @Test(arguments: BoardFamily.allCases)
    func `a board's partition table is read back as it was written`(family: BoardFamily) throws {
        let flash = TestImage.flash([], family: family)
        let table = try #require(PartitionTable(in: flash))
        #expect(table == .standard(for: family))
        #expect(table.slots.map(\.size) == [family.slotSize, family.slotSize])
        #expect(table.slots.allSatisfy { $0.offset % 0x1_0000 == 0 && $0.offset + $0.size <= family.flashSize })
        #expect(table.slots[0].offset + table.slots[0].size <= table.slots[1].offset)
    }

    @Test(arguments: [0, 4, 8, 12, 0x80, 0x90])
    func `a partition table with a changed byte is none`(position: Int) {
        var flash = TestImage.flash([])
        flash.write([flash[PartitionTable.offset + position] ^ 1], at: PartitionTable.offset + position)
        #expect(PartitionTable(in: flash) == nil)
    }

    @Test(.realImages) func `a partition table of another maker is read`() throws {
        let file = try #require(RealImage.bytes("wled-partitions_s3_8m.bin"))
        var flash = Flash(size: 8 << 20)
        flash.write(file, at: PartitionTable.offset)
        let table = try #require(PartitionTable(in: flash))
        #expect(table.partitions.map(\.label) == ["nvs", "otadata", "app0", "app1", "spiffs", "coredump"])
        #expect(table.slots.map(\.offset) == [0x1_0000, 0x21_0000])
        #expect(table.otaDataOffset == 0xE000)
    }

    @Test(arguments: [(UInt32(1), UInt32(0x4743_989A)), (2, 0x55F6_3774), (3, 0xED4A_5011)])
    func `the checksum of otadata is ESP-IDF's`(sequence: UInt32, checksum: UInt32) {
        #expect(OTAData.Entry.checksum(of: sequence) == checksum)
    }

    @Test(.realImages) func `otadata of another maker is read`() throws {
        let file = try #require(RealImage.bytes("wled-boot_app0-otadata.bin"))
        var flash = Flash(size: 0x1_0000)
        flash.write(file, at: 0xE000)
        let otaData = OTAData(in: flash, at: 0xE000)
        #expect(otaData.entries == [OTAData.Entry(sequence: 1, state: OTAData.State.undefined), nil])
        #expect(otaData.active == 0)
    }
}

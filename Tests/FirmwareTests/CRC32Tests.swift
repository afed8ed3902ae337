import Testing

@testable import Firmware

@Suite struct CRC32Tests {
    /// The check value of the algorithm's catalogue entry CRC-32/ISO-HDLC.
    @Test func `the check value is right`() {
        #expect(CRC32.checksum(Array("123456789".utf8)) == 0xCBF4_3926)
        #expect(CRC32.checksum([]) == 0)
    }

    @Test(arguments: [(1, 0x4743_989A), (2, 0x55F6_3774), (3, 0xED4A_5011)] as [(UInt32, UInt32)])
    func `sequence numbers of otadata have ESP-IDF's values`(sequence: UInt32, crc: UInt32) {
        #expect(CRC32.checksum(sequence.littleEndianBytes, seed: .max) == crc)
    }
}

/// CRC-32 as zlib's `crc32` has it (polynomial EDB88320, reflected).
enum CRC32 {
    /// - Parameter seed: the value to go on from; zlib's second argument.
    static func checksum(_ bytes: some Sequence<UInt8>, seed: UInt32 = 0) -> UInt32 {
        ~bytes.reduce(~seed) { crc, byte in
            crc >> 8 ^ table[Int(UInt8(truncatingIfNeeded: crc) ^ byte)]
        }
    }

    private static let table: [UInt32] = (0..<256).map { byte in
        (0..<8).reduce(UInt32(byte)) { crc, _ in crc & 1 == 0 ? crc >> 1 : crc >> 1 ^ 0xEDB8_8320 }
    }
}

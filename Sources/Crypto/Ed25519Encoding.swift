/// What can be said about an ed25519 public key from its 32 bytes alone.
enum Ed25519Encoding {
    static let length = 32

    /// Whether the y coordinate is below p = 2^255 − 19 (RFC 8032 section 5.1.3, step 1), so that no point has two
    /// encodings.
    static func isCanonical(_ bytes: [UInt8]) -> Bool {
        let y = withoutSign(bytes)
        let middleIsFull = y[1..<31].allSatisfy { $0 == 0xFF }
        return !(y[31] == 0x7F && middleIsFull && y[0] >= 0xED)
    }

    /// Whether the point is one of the eight whose order divides 8.
    static func isSmallOrder(_ bytes: [UInt8]) -> Bool {
        smallOrderY.contains(withoutSign(bytes))
    }

    private static func withoutSign(_ bytes: [UInt8]) -> [UInt8] {
        Array(bytes.dropLast()) + [bytes[31] & 0x7F]
    }

    /// The y coordinates of the points of order 1, 2, 4 and 8, little endian.
    private static let smallOrderY: [[UInt8]] = [
        [1] + [UInt8](repeating: 0, count: 31),
        [0xEC] + [UInt8](repeating: 0xFF, count: 30) + [0x7F],
        [UInt8](repeating: 0, count: 32),
        [
            0x26, 0xE8, 0x95, 0x8F, 0xC2, 0xB2, 0x27, 0xB0, 0x45, 0xC3, 0xF4, 0x89, 0xF2, 0xEF, 0x98, 0xF0,
            0xD5, 0xDF, 0xAC, 0x05, 0xD3, 0xC6, 0x33, 0x39, 0xB1, 0x38, 0x02, 0x88, 0x6D, 0x53, 0xFC, 0x05,
        ],
        [
            0xC7, 0x17, 0x6A, 0x70, 0x3D, 0x4D, 0xD8, 0x4F, 0xBA, 0x3C, 0x0B, 0x76, 0x0D, 0x10, 0x67, 0x0F,
            0x2A, 0x20, 0x53, 0xFA, 0x2C, 0x39, 0xCC, 0xC6, 0x4E, 0xC7, 0xFD, 0x77, 0x92, 0xAC, 0x03, 0x7A,
        ],
    ]
}

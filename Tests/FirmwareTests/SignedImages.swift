import Crypto

/// Signatures as the signing tools append them. The signatures themselves are noise: nothing here verifies them.
enum SignedImages {
    /// Version 0 and 64 bytes, then what encryption's padding leaves behind.
    static func secureBootV1Trailer(fill: Int = 12) -> [UInt8] {
        [0, 0, 0, 0] + ImageBuilder.noise(64 + fill, seed: 21)
    }

    /// 1216 bytes: E7, version, 2 reserved, digest, key and signature, CRC-32 at 1196, padding.
    static func secureBootV2Block(for image: [UInt8], version: UInt8 = 2) -> [UInt8] {
        let signed = [0xE7, version, 0, 0] + HashAlgorithm.sha256.hash(of: image) + ImageBuilder.noise(1160, seed: 22)
        return signed + crc32(signed).littleEndianBytes + [UInt8](repeating: 0, count: 16)
    }

    /// The image, erased up to the next 4 KiB boundary, and a sector with blocks of signature.
    static func secureBootV2(_ image: [UInt8], blocks: Int = 1, version: UInt8 = 2) -> [UInt8] {
        let padded = image.padded(toMultipleOf: 4096)
        let block = secureBootV2Block(for: padded, version: version)
        return (padded + Array(repeatElement(block, count: blocks).joined())).padded(toMultipleOf: 4096)
    }

    /// Bit by bit, unlike the product's table.
    static func crc32(_ bytes: [UInt8]) -> UInt32 {
        var crc = UInt32.max
        for byte in bytes {
            crc ^= UInt32(byte)
            for _ in 0..<8 {
                let carry = crc & 1
                crc >>= 1
                if carry == 1 { crc ^= 0xEDB8_8320 }
            }
        }
        return ~crc
    }
}

extension [UInt8] {
    /// The little-endian integer at an offset that the caller has checked.
    func integer<Value: FixedWidthInteger & BitwiseCopyable>(at offset: Int, as type: Value.Type = Value.self) -> Value
    {
        withUnsafeBytes { Value(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: type)) }
    }

    /// Where the first byte of a range is that is not 0xFF, as erased flash has it; nil when all are.
    func firstProgrammed(in range: Range<Int>) -> Int? {
        withUnsafeBytes { bytes in
            var offset = range.lowerBound
            while offset + 8 <= range.upperBound, bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self) == .max {
                offset += 8
            }
            while offset < range.upperBound {
                if bytes[offset] != 0xFF { return offset }
                offset += 1
            }
            return nil
        }
    }
}

extension UnsafeRawBufferPointer {
    /// XOR of the bytes of a range. Many at a time: images have megabytes.
    func exclusiveOr(of range: Range<Int>) -> UInt8 {
        var lanes = SIMD8<UInt64>()
        var offset = range.lowerBound
        while offset + 64 <= range.upperBound {
            lanes ^= loadUnaligned(fromByteOffset: offset, as: SIMD8<UInt64>.self)
            offset += 64
        }
        var wide = lanes.indices.reduce(UInt64(0)) { $0 ^ lanes[$1] }
        var folded: UInt8 = 0
        while wide != 0 {
            folded ^= UInt8(truncatingIfNeeded: wide)
            wide >>= 8
        }
        while offset < range.upperBound {
            folded ^= self[offset]
            offset += 1
        }
        return folded
    }
}

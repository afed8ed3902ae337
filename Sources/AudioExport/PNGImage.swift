/// A PNG file of at most 256 colours (ISO/IEC 15948), its pixels stored without compression (RFC 1951 3.2.4).
struct PNGImage {
    let bytes: [UInt8]

    /// - Parameters:
    ///   - rows: from the top, each as long as the first, of places in the palette.
    ///   - palette: 1 to 256 colours.
    init(rows: [[UInt8]], palette: [ColourMap.Colour]) {
        var header: [UInt8] = []
        header.append(bigEndian: UInt32(rows.first?.count ?? 0))
        header.append(bigEndian: UInt32(rows.count))
        // 8 bits, palette, deflate, filters by row, not interlaced.
        header += [8, 3, 0, 0, 0]
        var file: [UInt8] = [0x89] + Array("PNG\r\n\u{1A}\n".utf8)
        file.append(chunk: "IHDR", header)
        file.append(chunk: "PLTE", palette.flatMap { [$0.red, $0.green, $0.blue] })
        // Each row begins with its filter: none.
        file.append(chunk: "IDAT", Self.zlib(rows.flatMap { [0] + $0 }))
        file.append(chunk: "IEND", [])
        bytes = file
    }

    /// Bytes of a stored block at most.
    private static let blockLimit = 65_535

    private static func zlib(_ content: [UInt8]) -> [UInt8] {
        var stream: [UInt8] = [0x78, 0x01]
        for start in stride(from: 0, to: max(content.count, 1), by: blockLimit) {
            let block = content[start..<min(start + blockLimit, content.count)]
            stream.append(start + blockLimit >= content.count ? 1 : 0)
            let length = UInt16(block.count)
            for half in [length, ~length] { stream += [UInt8(half & 0xFF), UInt8(half >> 8)] }
            stream += block
        }
        stream.append(bigEndian: adler32(content))
        return stream
    }

    /// RFC 1950 8.2.
    private static func adler32(_ bytes: [UInt8]) -> UInt32 {
        var (first, second) = (UInt32(1), UInt32(0))
        for byte in bytes {
            first = (first + UInt32(byte)) % 65_521
            second = (second + first) % 65_521
        }
        return second << 16 | first
    }
}

extension [UInt8] {
    fileprivate mutating func append(bigEndian value: UInt32) {
        for shift in [24, 16, 8, 0] { append(UInt8(truncatingIfNeeded: value >> UInt32(shift))) }
    }

    fileprivate mutating func append(chunk name: String, _ content: [UInt8]) {
        append(bigEndian: UInt32(content.count))
        let checked = Array(name.utf8) + content
        self += checked
        append(bigEndian: crc32(checked))
    }
}

/// ISO/IEC 15948, annex D.
private func crc32(_ bytes: [UInt8]) -> UInt32 {
    ~bytes.reduce(UInt32.max) { crcTable[Int(UInt8(truncatingIfNeeded: $0) ^ $1)] ^ ($0 >> 8) }
}

private let crcTable: [UInt32] = (0..<256).map { index in
    (0..<8).reduce(UInt32(index)) { value, _ in value & 1 == 1 ? 0xEDB8_8320 ^ (value >> 1) : value >> 1 }
}

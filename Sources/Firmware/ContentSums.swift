import Crypto

/// Sums over the bytes of a file, all of them made in one pass, in which each byte is read and hashed once.
struct ContentSums {
    /// Of the whole file.
    let sha256: [UInt8]
    /// XOR of all the ranges that were asked for.
    let exclusiveOr: UInt8
    private let prefixes: [Prefix]

    /// - Parameters:
    ///   - ranges: those whose bytes are XORed.
    ///   - prefixes: offsets; the SHA-256 of what stands before each is made on the way.
    init<Source: ImageSource>(
        of source: Source, ranges: [Range<Int>] = [], prefixes offsets: [Int] = []
    ) throws(Source.Failure) {
        var pass = Pass(ranges: ranges, offsets: offsets.sorted())
        let buffer = UnsafeMutableRawBufferPointer.allocate(
            byteCount: max(1, min(source.size, source.pieceLength)), alignment: 16)
        defer { buffer.deallocate() }
        while pass.position < source.size {
            let piece = UnsafeMutableRawBufferPointer(
                rebasing: buffer[..<min(buffer.count, source.size - pass.position)])
            try source.read(into: piece, at: pass.position)
            pass.take(UnsafeRawBufferPointer(piece))
        }
        exclusiveOr = pass.exclusiveOr
        prefixes = pass.prefixes
        sha256 = pass.hash.finish()
    }

    /// The SHA-256 of what stands before an offset; nil for one that was not asked for, or that no byte stands at.
    func digest(before offset: Int) -> [UInt8]? { prefixes.first { $0.length == offset }?.sha256 }

    private struct Prefix {
        let length: Int
        let sha256: [UInt8]
    }

    private struct Pass: ~Copyable {
        let ranges: [Range<Int>]
        /// Ascending.
        var offsets: [Int]
        var position = 0
        var hash = RunningHash(.sha256)
        var exclusiveOr: UInt8 = 0
        var prefixes: [Prefix] = []

        init(ranges: [Range<Int>], offsets: [Int]) {
            self.ranges = ranges
            self.offsets = offsets
        }

        mutating func take(_ piece: UnsafeRawBufferPointer) {
            let end = position + piece.count
            for range in ranges where range.overlaps(position..<end) {
                let part = range.clamped(to: position..<end)
                exclusiveOr ^= piece.exclusiveOr(of: (part.lowerBound - position)..<(part.upperBound - position))
            }
            var rest = piece
            while let offset = offsets.first, offset < end {
                let length = offset - (end - rest.count)
                hash.update(UnsafeRawBufferPointer(rebasing: rest[..<length]))
                prefixes.append(Prefix(length: offset, sha256: hash.digestSoFar()))
                rest = UnsafeRawBufferPointer(rebasing: rest[length...])
                offsets.removeFirst()
            }
            hash.update(rest)
            position = end
        }
    }
}

/// What stands between the end of an image and the end of the file.
public enum ImageTail: Hashable, Sendable {
    case nothing
    /// 0xFF, as erased flash reads.
    case erased(length: Int)
    /// A Secure Boot v1 trailer: 68 bytes, then at most 12 of any value, then 0xFF. Its signature is not verified.
    case signatureTrailer(offset: Int)
    /// A Secure Boot v2 signature sector. Its digests are those of this file; its signatures are not verified.
    case signatureSector(SignatureSector)
    case damagedSignatureSector(offset: Int, SignatureSector.Fault)
    /// Anything else; `offset` is that of the first byte that is none of the above.
    case foreign(offset: Int, byte: UInt8)

    /// - Parameters:
    ///   - end: where the image ends.
    ///   - sums: with that of what stands before the next place of a signature sector.
    init<Source: ImageSource>(of source: Source, from end: Int, _ sums: ContentSums) throws(Source.Failure) {
        guard let start = try source.firstProgrammed(in: end..<source.size) else {
            self = source.size == end ? .nothing : .erased(length: source.size - end)
            return
        }
        let first = try source.byte(at: start)
        let sector = end.roundedUp(to: SignatureSector.length)
        if start == sector, first == SignatureSector.magic {
            self = try Self.sector(in: source, at: sector, digest: sums.digest(before: sector) ?? [])
        } else if try Self.hasTrailer(source, at: end) {
            self = .signatureTrailer(offset: end)
        } else {
            self = .foreign(offset: start, byte: first)
        }
    }

    private static func sector<Source: ImageSource>(
        in source: Source, at offset: Int, digest: [UInt8]
    ) throws(Source.Failure) -> ImageTail {
        let end = min(offset + SignatureSector.length, source.size)
        let bytes = try source.bytes(in: offset..<end)
        let sector: SignatureSector
        do { sector = try SignatureSector(bytes, at: offset, digest: digest) } catch {
            return .damagedSignatureSector(offset: offset, error)
        }
        if let foreign = try source.firstProgrammed(in: end..<source.size) {
            return .foreign(offset: foreign, byte: try source.byte(at: foreign))
        }
        return .signatureSector(sector)
    }

    private static func hasTrailer<Source: ImageSource>(
        _ source: Source, at offset: Int
    ) throws(Source.Failure) -> Bool {
        guard source.size >= offset + trailerLength else { return false }
        guard isTrailer(try source.bytes(in: offset..<(offset + trailerLength))) else { return false }
        let fill = min(source.size, offset + trailerLength + trailerFillLimit)
        return try source.firstProgrammed(in: fill..<source.size) == nil
    }

    /// Version 0 and an ECDSA signature, neither half of which can be zero.
    private static func isTrailer(_ bytes: [UInt8]) -> Bool {
        bytes.integer(at: 0, as: UInt32.self) == 0
            && [4..<36, 36..<68].allSatisfy { half in bytes[half].contains { $0 != 0 } }
    }

    private static let trailerLength = 68
    private static let trailerFillLimit = 12
}

extension Int {
    /// The next multiple of `step`, or this one.
    func roundedUp(to step: Int) -> Int {
        (self + step - 1) / step * step
    }
}

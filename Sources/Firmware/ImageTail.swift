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

    /// - Parameter end: where the image ends.
    init(of bytes: [UInt8], from end: Int) {
        guard let start = bytes.firstProgrammed(in: end..<bytes.count) else {
            self = bytes.count == end ? .nothing : .erased(length: bytes.count - end)
            return
        }
        let sector = end.roundedUp(to: SignatureSector.length)
        if start == sector, bytes[sector] == SignatureSector.magic {
            self = Self.sector(in: bytes, at: sector)
        } else if Self.hasTrailer(bytes, at: end) {
            self = .signatureTrailer(offset: end)
        } else {
            self = .foreign(offset: start, byte: bytes[start])
        }
    }

    private static func sector(in bytes: [UInt8], at offset: Int) -> ImageTail {
        do throws(SignatureSector.Fault) {
            let sector = try SignatureSector(in: bytes, at: offset)
            if let foreign = bytes.firstProgrammed(in: (offset + SignatureSector.length)..<bytes.count) {
                return .foreign(offset: foreign, byte: bytes[foreign])
            }
            return .signatureSector(sector)
        } catch {
            return .damagedSignatureSector(offset: offset, error)
        }
    }

    /// Version 0 and an ECDSA signature, neither half of which can be zero.
    private static func hasTrailer(_ bytes: [UInt8], at offset: Int) -> Bool {
        guard bytes.count >= offset + trailerLength, bytes.integer(at: offset, as: UInt32.self) == 0 else {
            return false
        }
        let halves = [(offset + 4)..<(offset + 36), (offset + 36)..<(offset + 68)]
        guard halves.allSatisfy({ half in bytes[half].contains { $0 != 0 } }) else { return false }
        let fill = min(bytes.count, offset + trailerLength + trailerFillLimit)
        return bytes.firstProgrammed(in: fill..<bytes.count) == nil
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

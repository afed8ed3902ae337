import Crypto
public import Firmware

/// What must be true of a sound image, read again without the product's parser.
public enum SoundnessOracle {
    public static func holds(for image: SoundImage, _ bytes: [UInt8]) -> Bool {
        guard bytes.count >= 288 else { return false }
        let project = Array(bytes[80..<112].prefix { $0 != 0 })
        let version = Array(bytes[48..<80].prefix { $0 != 0 })
        return bytes[0] == 0xE9 && (1...16).contains(bytes[1]) && bytes[23] == 1
            && [0, 9].contains(UInt16(bytes[12]) | UInt16(bytes[13]) << 8)
            && Array(bytes[32..<36]) == [0x32, 0x54, 0xCD, 0xAB]
            && bytes == bytes.resealed()
            && Array(image.version.utf8) == version && version.count < 32
            && image.family.isNamed(project) && project.count < 32
    }
}

extension SoundImage.FamilyMatch {
    fileprivate func isNamed(_ project: [UInt8]) -> Bool {
        switch self {
        case .family(let family): project == Array("espurr-\(family.rawValue)".utf8)
        case .notEspurr(let name): project == Array(name.utf8)
        }
    }
}

extension [UInt8] {
    /// With checksum and hash made right again for an image without a tail whose segments can be walked.
    public func resealed() -> [UInt8] {
        guard count >= 24 else { return self }
        var offset = 24
        var checksum: UInt8 = 0xEF
        for _ in 0..<Int(self[1]) {
            guard offset + 8 <= count else { return self }
            let length = (0..<4).reduce(0) { $0 | Int(self[offset + 4 + $1]) << ($1 * 8) }
            guard offset + 8 + length <= count else { return self }
            checksum = self[(offset + 8)..<(offset + 8 + length)].reduce(checksum, ^)
            offset += 8 + length
        }
        let footer = offset / 16 * 16 + 15
        guard footer + 33 <= count else { return self }
        var sealed = self
        sealed[footer] = checksum
        sealed.replaceSubrange(
            (footer + 1)..<(footer + 33), with: HashAlgorithm.sha256.hash(of: Array(sealed[...footer])))
        return sealed
    }
}

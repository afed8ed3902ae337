import Crypto

/// Roles that share all targets out among them by the hash of the path, written down as one entry (TAP 15,
/// `succinct_roles`).
struct HashBins: Sendable {
    let authority: Authority
    private let namePrefix: UTF8Text
    /// The number of bins is 2 to this power.
    private let bitLength: Int

    init(_ fields: Fields) throws(Distrust) {
        authority = try Authority(fields)
        let bitLength = try fields.integer("bit_length", atLeast: 1)
        guard bitLength <= Self.greatestBitLength else { throw fields.bad("bit_length") }
        self.bitLength = Int(bitLength)
        namePrefix = try fields.text("name_prefix")
        guard RoleName(delegated: Self.name(namePrefix, bin: .max, bitLength: self.bitLength)) != nil else {
            throw fields.bad("name_prefix")
        }
    }

    /// The bin that a path falls into: `<prefix>-<number in hexadecimal, all of one length>`.
    func bin(of path: UTF8Text) -> RoleName {
        let hash = HashAlgorithm.sha256.hash(of: path.bytes)
        let bin =
            hash.prefix(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) } >> (Self.greatestBitLength - Int64(bitLength))
        return .delegated(Self.name(namePrefix, bin: bin, bitLength: bitLength))
    }

    /// All bins' names, in their order, but no more than `limit`.
    func names(limit: Int) -> [RoleName] {
        let count = min(1 << bitLength, limit)
        return (0..<UInt32(count)).map { .delegated(Self.name(namePrefix, bin: $0, bitLength: bitLength)) }
    }

    private static func name(_ prefix: UTF8Text, bin: UInt32, bitLength: Int) -> UTF8Text {
        let digits = String(bin, radix: 16)
        let width = (bitLength + 3) / 4
        return UTF8Text("\(prefix)-\(String(repeating: "0", count: max(0, width - digits.count)))\(digits)")
    }

    private static let greatestBitLength: Int64 = 32
}

extension UTF8Text {
    /// Specification 4.5: `path_hash_prefixes` are held against the hexadecimal SHA-256 of the path.
    func hasHash(startingWithAnyOf prefixes: [UTF8Text]) -> Bool {
        let hash = Array(Hexadecimal.encode(HashAlgorithm.sha256.hash(of: bytes)).utf8)
        return prefixes.contains { hash.starts(with: $0.bytes) }
    }
}

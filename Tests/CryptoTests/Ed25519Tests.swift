import Crypto
import Testing

/// RFC 8032 section 7.1, tests 1 to 3 and 1024.
@Suite struct Ed25519Tests {
    struct Vector: Sendable {
        let key: String, message: String, signature: String
    }

    static let vectors = [
        Vector(
            key: "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", message: "",
            signature: """
                e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e06522490155
                5fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b
                """),
        Vector(
            key: "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c", message: "72",
            signature: """
                92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da
                085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00
                """),
        Vector(
            key: "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025", message: "af82",
            signature: """
                6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac
                18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a
                """),
    ]

    @Test(arguments: vectors) func `the signatures of RFC 8032 are valid`(vector: Vector) throws {
        let key = try VerificationKey(ed25519: bytes(vector.key))
        #expect(try key.isValid(signature: bytes(vector.signature), for: bytes(vector.message)))
    }

    @Test(arguments: vectors) func `no signature survives a changed bit`(vector: Vector) throws {
        let key = try VerificationKey(ed25519: bytes(vector.key))
        let signature = bytes(vector.signature)
        for bit in 0..<signature.count * 8 {
            var changed = signature
            changed[bit / 8] ^= 1 << (bit % 8)
            #expect(try !key.isValid(signature: changed, for: bytes(vector.message)), "bit \(bit)")
        }
    }

    @Test func `another message is not signed`() throws {
        let key = try VerificationKey(ed25519: bytes(Self.vectors[1].key))
        #expect(try !key.isValid(signature: bytes(Self.vectors[1].signature), for: bytes("73")))
    }

    @Test(arguments: [0, 1, 63, 65, 128]) func `a signature of another length is a no`(length: Int) throws {
        let key = try VerificationKey(ed25519: bytes(Self.vectors[0].key))
        #expect(try !key.isValid(signature: [UInt8](repeating: 0, count: length), for: []))
    }

    @Test(arguments: [0, 31, 33]) func `a key of another length is refused`(length: Int) {
        #expect(throws: CryptoError.publicKeyLength(expected: 32, actual: length)) {
            try VerificationKey(ed25519: [UInt8](repeating: 7, count: length))
        }
    }

    @Test(arguments: [
        "0100000000000000000000000000000000000000000000000000000000000000",
        "0100000000000000000000000000000000000000000000000000000000000080",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "0000000000000000000000000000000000000000000000000000000000000000",
        "0000000000000000000000000000000000000000000000000000000000000080",
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
        "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
    ])
    func `a key of small order or in a second encoding is refused`(hex: String) {
        #expect(throws: CryptoError.weakPublicKey) { try VerificationKey(ed25519: bytes(hex)) }
    }

    @Test func `a key off the curve verifies nothing and leaves no error to the next caller`() throws {
        let off = try VerificationKey(ed25519: [2] + [UInt8](repeating: 0, count: 31))
        #expect(try !off.isValid(signature: bytes(Self.vectors[0].signature), for: []))
        let good = try VerificationKey(ed25519: bytes(Self.vectors[0].key))
        #expect(try good.isValid(signature: bytes(Self.vectors[0].signature), for: []))
    }

    @Test func `one key serves many tasks at once`() async throws {
        let key = try VerificationKey(ed25519: bytes(Self.vectors[2].key))
        let signature = bytes(Self.vectors[2].signature)
        let answers = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<64 { group.addTask { (try? key.isValid(signature: signature, for: bytes("af82"))) == true } }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(answers == 64)
    }
}

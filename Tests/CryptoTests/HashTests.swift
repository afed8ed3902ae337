import Crypto
import Testing

/// FIPS 180-4 examples, as NIST's CSRC publishes them.
@Suite struct HashTests {
    static let twoBlocks = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"

    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (twoBlocks, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"),
    ])
    func `SHA-256 gives NIST's digests`(text: String, digest: String) {
        #expect(HashAlgorithm.sha256.hash(of: Array(text.utf8)) == bytes(digest))
    }

    @Test func `SHA-512 gives NIST's digest`() {
        let digest = """
            ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a
            2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f
            """
        #expect(HashAlgorithm.sha512.hash(of: Array("abc".utf8)) == bytes(digest))
    }

    @Test func `a million letters give NIST's digest`() {
        var running = RunningHash(.sha256)
        let thousand = [UInt8](repeating: UInt8(ascii: "a"), count: 1000)
        for _ in 0..<1000 { running.update(thousand) }
        #expect(running.finish() == bytes("cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"))
    }

    @Test(arguments: [0, 1, 27, 55, 56])
    func `pieces give the digest of the whole`(cut: Int) {
        let whole = Array(Self.twoBlocks.utf8)
        var running = RunningHash(.sha256)
        running.update(Array(whole[..<cut]))
        whole[cut...].withUnsafeBytes { running.update($0) }
        #expect(running.finish() == HashAlgorithm.sha256.hash(of: whole))
    }

    @Test(arguments: HashAlgorithm.allCases)
    func `the digest until now leaves the hash to go on`(algorithm: HashAlgorithm) {
        let whole = Array(Self.twoBlocks.utf8)
        var running = RunningHash(algorithm)
        #expect(running.digestSoFar() == algorithm.hash(of: []))
        running.update(Array(whole[..<40]))
        #expect(running.digestSoFar() == algorithm.hash(of: Array(whole[..<40])))
        running.update(Array(whole[40...]))
        #expect(running.finish() == algorithm.hash(of: whole))
    }
}

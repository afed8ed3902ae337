import CCrypto
import Crypto

@testable import Catalogue

/// An ed25519 key pair from a number: the signing half exists in these tests alone.
struct SigningKey {
    private let seed: [UInt8]
    let publicKey: [UInt8]
    /// What metadata calls the key. Any text will do.
    let keyID: String

    init(_ number: UInt8, keyID: String? = nil) {
        seed = HashAlgorithm.sha256.hash(of: [number])
        let pair = EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nil, seed, seed.count)
        defer { EVP_PKEY_free(pair) }
        var key = [UInt8](repeating: 0, count: 32)
        var count = key.count
        precondition(EVP_PKEY_get_raw_public_key(pair, &key, &count) == 1)
        publicKey = key
        self.keyID = keyID ?? "key-\(number)"
    }

    func signature(of message: [UInt8]) -> [UInt8] {
        let pair = EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nil, seed, seed.count)
        let context = EVP_MD_CTX_new()
        defer {
            EVP_MD_CTX_free(context)
            EVP_PKEY_free(pair)
        }
        var signature = [UInt8](repeating: 0, count: 64)
        var count = signature.count
        precondition(EVP_DigestSignInit(context, nil, nil, nil, pair) == 1)
        precondition(EVP_DigestSign(context, &signature, &count, message, message.count) == 1)
        return signature
    }

    /// As a root lists it.
    var metadata: JSONValue {
        [
            "keytype": "ed25519", "scheme": "ed25519",
            "keyval": ["public": .text(UTF8Text(Hexadecimal.encode(publicKey)))],
        ]
    }
}

/// A metadata file: the signed part with the signatures of these keys.
func signed(_ part: JSONValue, by keys: [SigningKey]) -> [UInt8] {
    let message = CanonicalJSON.encode(part)
    return file(part, signatures: keys.map { ($0.keyID, Hexadecimal.encode($0.signature(of: message))) })
}

func file(_ part: JSONValue, signatures: [(keyID: String, hex: String)]) -> [UInt8] {
    let list = signatures.map {
        JSONValue.members([("keyid", .init(stringLiteral: $0)), ("sig", .init(stringLiteral: $1))])
    }
    return plainJSON(["signatures": .array(list), "signed": part])
}

import CCrypto

/// A public key with the one signature scheme that it is used with. Owns one `EVP_PKEY`.
public final class VerificationKey: @unchecked Sendable {
    // Unchecked: the key is never changed after init, and libcrypto allows concurrent use of an unchanging EVP_PKEY.
    private let key: OpaquePointer
    private let scheme: Scheme

    /// What makes two keys the same key: the 32 raw bytes of an ed25519 key, the DER of the SubjectPublicKeyInfo
    /// (re-encoded, so that white space or a longer form in the source makes no second key) of another.
    public let publicBytes: [UInt8]

    enum Scheme {
        case ed25519
        case ecdsaP256SHA256
        case rsaPSSSHA256
    }

    /// - Parameter bytes: the 32 bytes of RFC 8032 section 5.1.5.
    ///
    /// Bytes that are on no curve are accepted here, as libcrypto finds that out only when it verifies: such a key
    /// verifies nothing.
    public init(ed25519 bytes: [UInt8]) throws(CryptoError) {
        guard bytes.count == Ed25519Encoding.length else {
            throw .publicKeyLength(expected: Ed25519Encoding.length, actual: bytes.count)
        }
        guard Ed25519Encoding.isCanonical(bytes), !Ed25519Encoding.isSmallOrder(bytes) else { throw .weakPublicKey }
        guard let key = EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nil, bytes, bytes.count) else {
            throw .last("EVP_PKEY_new_raw_public_key")
        }
        self.key = key
        scheme = .ed25519
        publicBytes = bytes
    }

    init(owning key: OpaquePointer, scheme: Scheme, publicBytes: [UInt8]) {
        self.key = key
        self.scheme = scheme
        self.publicBytes = publicBytes
    }

    deinit { EVP_PKEY_free(key) }

    /// Whether the signature is this key's over the message. A signature of any wrong form is a no.
    public func isValid(signature: [UInt8], for message: [UInt8]) throws(CryptoError) -> Bool {
        guard let context = EVP_MD_CTX_new() else { throw .last("EVP_MD_CTX_new") }
        defer { EVP_MD_CTX_free(context) }
        try prepare(context)
        let answer = EVP_DigestVerify(context, signature, signature.count, message, message.count)
        // A malformed signature leaves errors behind, which the next caller on this thread would take for its own.
        ERR_clear_error()
        return answer == 1
    }

    private func prepare(_ context: OpaquePointer) throws(CryptoError) {
        // The parameters belong to the digest context: they are not ours to free.
        var parameters: OpaquePointer?
        let digest = scheme == .ed25519 ? nil : EVP_sha256()
        guard EVP_DigestVerifyInit(context, &parameters, digest, nil, key) == 1 else {
            throw .last("EVP_DigestVerifyInit")
        }
        guard scheme == .rsaPSSSHA256 else { return }
        // Without these two lines libcrypto verifies PKCS #1 v1.5.
        guard EVP_PKEY_CTX_set_rsa_padding(parameters, RSA_PKCS1_PSS_PADDING) == 1,
            EVP_PKEY_CTX_set_rsa_pss_saltlen(parameters, RSA_PSS_SALTLEN_AUTO) == 1
        else { throw .last("EVP_PKEY_CTX_set_rsa_padding") }
    }
}

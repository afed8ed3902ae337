import CCrypto

extension VerificationKey {
    /// A P-256 key for `ecdsa-sha2-nistp256`.
    ///
    /// - Parameter text: one PEM block `PUBLIC KEY` (RFC 7468 section 13) with an uncompressed point.
    public convenience init(ecdsaP256PEM text: [UInt8]) throws(CryptoError) {
        let key = try PublicKeyInformation(pem: text)
        guard key.kind == EVP_PKEY_EC, key.groupName == "prime256v1", key.encoded.count == Self.p256Length else {
            throw .unsuitablePublicKey
        }
        self.init(owning: key.take(), scheme: .ecdsaP256SHA256, publicBytes: key.encoded)
    }

    /// An RSA key of 2048 to 8192 bits for `rsassa-pss-sha256`.
    ///
    /// - Parameter text: one PEM block `PUBLIC KEY` (RFC 7468 section 13).
    public convenience init(rsaPSSPEM text: [UInt8]) throws(CryptoError) {
        let key = try PublicKeyInformation(pem: text)
        guard key.kind == EVP_PKEY_RSA, Self.rsaBits.contains(key.bits) else { throw .unsuitablePublicKey }
        self.init(owning: key.take(), scheme: .rsaPSSSHA256, publicBytes: key.encoded)
    }

    /// Bytes of a SubjectPublicKeyInfo with an uncompressed point of P-256: asking for it leaves one encoding of a key.
    private static var p256Length: Int { 91 }
    /// Above the upper bound a single check would take the machine's time.
    private static var rsaBits: ClosedRange<Int> { 2048...8192 }
}

/// A SubjectPublicKeyInfo read from PEM, and the `EVP_PKEY` that it holds.
private struct PublicKeyInformation: ~Copyable {
    private let raw: OpaquePointer
    let encoded: [UInt8]

    var kind: Int32 { EVP_PKEY_get_base_id(raw) }
    var bits: Int { Int(EVP_PKEY_get_bits(raw)) }

    var groupName: String? {
        var name = [CChar](repeating: 0, count: 64)
        guard EVP_PKEY_get_group_name(raw, &name, name.count, nil) == 1 else {
            ERR_clear_error()
            return nil
        }
        return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    init(pem text: [UInt8]) throws(CryptoError) {
        defer { ERR_clear_error() }
        guard let content = PEMBlock.publicKeyContent(of: text), let key = Self.decode(content) else {
            throw .malformedPublicKey
        }
        raw = key
        var start: UnsafeMutablePointer<UInt8>?
        let length = i2d_PUBKEY(key, &start)
        encoded = Array(UnsafeBufferPointer(start: start, count: max(0, Int(length))))
        CRYPTO_free(start, #fileID, #line)
    }

    deinit { EVP_PKEY_free(raw) }

    /// A reference of its own for an owner that frees it.
    func take() -> OpaquePointer {
        EVP_PKEY_up_ref(raw)
        return raw
    }

    /// The key, when it takes up the whole of the content.
    private static func decode(_ content: [UInt8]) -> OpaquePointer? {
        content.withUnsafeBufferPointer { bytes in
            var position = bytes.baseAddress
            guard let key = d2i_PUBKEY(nil, &position, bytes.count) else { return nil }
            guard position == bytes.baseAddress?.advanced(by: bytes.count) else {
                EVP_PKEY_free(key)
                return nil
            }
            return key
        }
    }
}

/// RFC 7468, as narrow as the metadata of TUF needs it.
private enum PEMBlock {
    /// The bytes of the one `PUBLIC KEY` block that the text consists of.
    static func publicKeyContent(of text: [UInt8]) -> [UInt8]? {
        guard text.starts(with: Array("-----BEGIN PUBLIC KEY-----".utf8)),
            let input = BIO_new_mem_buf(text, Int32(clamping: text.count))
        else { return nil }
        defer { BIO_free(input) }
        var name: UnsafeMutablePointer<CChar>?
        var header: UnsafeMutablePointer<CChar>?
        var content: UnsafeMutablePointer<UInt8>?
        var length = 0
        guard PEM_read_bio(input, &name, &header, &content, &length) == 1 else { return nil }
        defer {
            CRYPTO_free(name, #fileID, #line)
            CRYPTO_free(header, #fileID, #line)
            CRYPTO_free(content, #fileID, #line)
        }
        guard header?.pointee == 0, onlyWhiteSpaceFollows(in: input) else { return nil }
        return Array(UnsafeBufferPointer(start: content, count: length))
    }

    private static func onlyWhiteSpaceFollows(in input: OpaquePointer) -> Bool {
        var byte: UInt8 = 0
        while BIO_read(input, &byte, 1) == 1 {
            guard [0x09, 0x0A, 0x0D, 0x20].contains(byte) else { return false }
        }
        return true
    }
}

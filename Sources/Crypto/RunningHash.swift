import CCrypto

/// The hash functions of the formats this package reads (FIPS 180-4).
public enum HashAlgorithm: Hashable, Sendable, CaseIterable {
    case sha256
    case sha512

    /// Length of a digest in bytes.
    public var digestLength: Int {
        switch self {
        case .sha256: 32
        case .sha512: 64
        }
    }

    /// The digest of bytes that are all at hand.
    public func hash(of bytes: [UInt8]) -> [UInt8] {
        var running = RunningHash(self)
        running.update(bytes)
        return running.finish()
    }

    fileprivate var digest: OpaquePointer? {
        switch self {
        case .sha256: EVP_sha256()
        case .sha512: EVP_sha512()
        }
    }
}

/// A hash over bytes that arrive in pieces. Owns one `EVP_MD_CTX`.
///
/// libcrypto refuses these calls only when memory is exhausted or its installation has no SHA-2. As with Swift's own
/// allocations nothing sensible can follow, so that ends the process instead of being an error at every call.
public struct RunningHash: ~Copyable, @unchecked Sendable {
    // Unchecked: the context has this one owner, which can be in one place at a time only.
    private let context: OpaquePointer
    private let algorithm: HashAlgorithm

    public init(_ algorithm: HashAlgorithm) {
        guard let context = EVP_MD_CTX_new(), EVP_DigestInit_ex2(context, algorithm.digest, nil) == 1 else {
            Self.unusable("EVP_DigestInit_ex2")
        }
        self.context = context
        self.algorithm = algorithm
    }

    deinit { EVP_MD_CTX_free(context) }

    public mutating func update(_ bytes: UnsafeRawBufferPointer) {
        guard EVP_DigestUpdate(context, bytes.baseAddress, bytes.count) == 1 else { Self.unusable("EVP_DigestUpdate") }
    }

    public mutating func update(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { update($0) }
    }

    /// The digest of the bytes until now; more may follow.
    public func digestSoFar() -> [UInt8] {
        let copy = RunningHash(algorithm)
        guard EVP_MD_CTX_copy_ex(copy.context, context) == 1 else { Self.unusable("EVP_MD_CTX_copy_ex") }
        return copy.finish()
    }

    /// The digest, of the algorithm's `digestLength`.
    public consuming func finish() -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: algorithm.digestLength)
        guard EVP_DigestFinal_ex(context, &digest, nil) == 1 else { Self.unusable("EVP_DigestFinal_ex") }
        return digest
    }

    private static func unusable(_ operation: String) -> Never {
        fatalError("libcrypto cannot hash: \(CryptoError.last(operation))")
    }
}

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
}

/// A hash over bytes that arrive in pieces.
///
/// By libcrypto's own functions for SHA-2 and not through `EVP`: the first use of that reads the configuration, lists every
/// cipher and makes the providers, which takes as long as the hash of two megabytes. Nothing is configured about a hash
/// that a format prescribes. These functions cannot fail.
public struct RunningHash: ~Copyable, Sendable {
    private var state: State

    private enum State {
        case sha256(SHA256_CTX)
        case sha512(SHA512_CTX)
    }

    public init(_ algorithm: HashAlgorithm) {
        switch algorithm {
        case .sha256:
            var context = SHA256_CTX()
            SHA256_Init(&context)
            state = .sha256(context)
        case .sha512:
            var context = SHA512_CTX()
            SHA512_Init(&context)
            state = .sha512(context)
        }
    }

    public mutating func update(_ bytes: UnsafeRawBufferPointer) {
        switch state {
        case .sha256(var context):
            SHA256_Update(&context, bytes.baseAddress, bytes.count)
            state = .sha256(context)
        case .sha512(var context):
            SHA512_Update(&context, bytes.baseAddress, bytes.count)
            state = .sha512(context)
        }
    }

    public mutating func update(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { update($0) }
    }

    /// The digest of the bytes until now, of the algorithm's `digestLength`; more may follow.
    public func digestSoFar() -> [UInt8] {
        switch state {
        case .sha256(var context):
            var digest = [UInt8](repeating: 0, count: HashAlgorithm.sha256.digestLength)
            SHA256_Final(&digest, &context)
            return digest
        case .sha512(var context):
            var digest = [UInt8](repeating: 0, count: HashAlgorithm.sha512.digestLength)
            SHA512_Final(&digest, &context)
            return digest
        }
    }

    /// The digest, of the algorithm's `digestLength`.
    public consuming func finish() -> [UInt8] { digestSoFar() }
}

import CCrypto

/// Why a key could not be made or a check could not be carried out. A signature that is merely wrong is no error.
public enum CryptoError: Error, Equatable, Sendable {
    /// A raw key of another length than its kind has, in bytes.
    case publicKeyLength(expected: Int, actual: Int)
    /// An ed25519 key of small order, for which a signature of any message can be written down,
    /// or one whose encoding is not the canonical one of RFC 8032 section 5.1.2.
    case weakPublicKey
    /// Not one PEM block `PUBLIC KEY` with one SubjectPublicKeyInfo and nothing after it.
    case malformedPublicKey
    /// A key of another kind, curve or size than the scheme asks for.
    case unsuitablePublicKey
    /// libcrypto failed at something that does not depend on the input (out of memory, a broken installation).
    case library(operation: String, reason: String)

    /// Takes the oldest error of this thread's queue and empties the queue.
    static func last(_ operation: String) -> CryptoError {
        let code = ERR_get_error()
        ERR_clear_error()
        var text = [CChar](repeating: 0, count: 256)
        ERR_error_string_n(code, &text, text.count)
        let reason = String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return .library(operation: operation, reason: reason)
    }
}

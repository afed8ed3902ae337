import Crypto

/// A root that someone decided to trust, or is asked to: it is whole, understood, and signed by a threshold of its own
/// keys. Whether it is the maker's is for the fingerprints to tell.
public struct TrustedRoot: Sendable {
    public let root: Root
    /// The file as it was given.
    public let bytes: [UInt8]

    public init(_ bytes: [UInt8], limits: CatalogueLimits = CatalogueLimits()) throws(CatalogueError) {
        do {
            root = try TrustedCatalogue.selfSignedRoot(bytes, limits: limits)
            self.bytes = bytes
        } catch {
            throw .untrusted(file: Role.root.fileName, error)
        }
    }

    /// Lower-case hexadecimal SHA-256 of the file.
    public var fingerprint: String { Hexadecimal.encode(HashAlgorithm.sha256.hash(of: bytes)) }

    /// The keys that may sign, in the order of the roles and of each role's list.
    public var keys: [Key] {
        Role.allCases.flatMap { role in
            root.authority(of: role).keyIDs.map { keyID in
                let key = root.keys[keyID]
                return Key(
                    role: role, keyID: keyID, scheme: key?.scheme,
                    fingerprint: key?.verification.map {
                        Hexadecimal.encode(HashAlgorithm.sha256.hash(of: $0.publicBytes))
                    })
            }
        }
    }

    /// How many of a role's keys have to sign.
    public func threshold(of role: Role) -> Int { root.authority(of: role).threshold }

    public struct Key: Hashable, Sendable {
        public let role: Role
        public let keyID: UTF8Text
        /// `nil` for an identifier without a key.
        public let scheme: UTF8Text?
        /// Lower-case hexadecimal SHA-256 of the raw public key (of the SubjectPublicKeyInfo of a key that is not
        /// ed25519); `nil` for a key that this client cannot use.
        public let fingerprint: String?
    }
}

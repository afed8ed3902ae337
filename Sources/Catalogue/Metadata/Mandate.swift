import Crypto

/// The keys of one role.
public struct Authority: Hashable, Sendable {
    public let keyIDs: [UTF8Text]
    public let threshold: Int

    /// Nobody's signature is enough.
    static let none = Authority(keyIDs: [], threshold: .max)

    private init(keyIDs: [UTF8Text], threshold: Int) {
        self.keyIDs = keyIDs
        self.threshold = threshold
    }

    init(_ fields: Fields) throws(Distrust) {
        let keyIDs = try fields.texts("keyids")
        guard Set(keyIDs).count == keyIDs.count else { throw fields.bad("keyids") }
        self.keyIDs = keyIDs
        threshold = Int(try fields.integer("threshold", atLeast: 1))
    }
}

/// Whose signatures make the metadata of a role valid, by the word of its delegator: the root, or targets metadata.
///
/// The same role may hold mandates of several delegators. What one of them lets pass says nothing under another.
struct Mandate: Sendable {
    let role: RoleName
    let delegator: RoleName
    let authority: Authority
    let keys: [UTF8Text: PublicKey]

    /// Specification 5.3.4 and its like: at least a threshold of the role's keys have signed. Keys are counted by what
    /// they are, not by what they are called, so a key under two identifiers counts once.
    func verify(_ envelope: Envelope) throws(Distrust) {
        var signatures = VerifiedSignatures(of: envelope)
        try verify(&signatures)
    }

    func verify(_ signatures: inout VerifiedSignatures) throws(Distrust) {
        let envelope = signatures.envelope
        var signers: Set<[UInt8]> = []
        for signature in envelope.signatures where authority.keyIDs.contains(signature.keyID) {
            guard let key = keys[signature.keyID]?.verification else { continue }
            if try signatures.isValid(signature, by: key) { signers.insert(key.publicBytes) }
        }
        guard signers.count >= authority.threshold else {
            throw .tooFewSignatures(
                of: role, valid: signers.count, threshold: authority.threshold, unusable: unusableSchemes(in: envelope))
        }
    }

    private func unusableSchemes(in envelope: Envelope) -> [UTF8Text] {
        let signing = envelope.signatures.filter { authority.keyIDs.contains($0.keyID) }.compactMap { keys[$0.keyID] }
        return Set(signing.filter { $0.verification == nil }.map(\.scheme)).sorted()
    }
}

/// The signatures of one file. One that was found valid is not verified again for another mandate that has the same key.
struct VerifiedSignatures {
    let envelope: Envelope
    private var valid: [(signature: Envelope.Signature, signer: [UInt8])] = []

    init(of envelope: Envelope) { self.envelope = envelope }

    mutating func isValid(_ signature: Envelope.Signature, by key: VerificationKey) throws(Distrust) -> Bool {
        guard let bytes = signature.bytes else { return false }
        if valid.contains(where: { $0.signature == signature && $0.signer == key.publicBytes }) { return true }
        do {
            guard try key.isValid(signature: bytes, for: envelope.signedBytes) else { return false }
        } catch {
            throw .cryptography(operation: "\(error)")
        }
        valid.append((signature, key.publicBytes))
        return true
    }
}

extension Root {
    func mandate(for role: Role) -> Mandate {
        Mandate(role: .topLevel(role), delegator: .root, authority: authority(of: role), keys: keys)
    }

    func verify(_ envelope: Envelope, as role: Role) throws(Distrust) {
        try mandate(for: role).verify(envelope)
    }
}

extension [UTF8Text: PublicKey] {
    /// Keys by identifier, as root and delegations list them.
    init(_ fields: Fields) throws(Distrust) {
        self.init()
        for (keyID, key) in try fields.objects() { self[keyID] = try PublicKey(key) }
    }
}

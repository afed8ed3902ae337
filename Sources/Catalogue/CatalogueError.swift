public import DurableFiles

/// Why there is no catalogue, or no target, to rely on.
public enum CatalogueError: Error, Equatable, Sendable {
    /// No root was ever trusted here: nothing can be verified.
    case noTrustedRoot(folder: String)
    /// The file could not be had. Says nothing about whether it would be authentic.
    case unreachable(file: String, MirrorError)
    /// Offline, and this machine holds no copy of the file.
    case notHere(file: String)
    /// The file was had, and is not what the trusted root vouches for.
    ///
    /// - `version`: what the file itself says, which proves nothing; `nil` where its name says the version, or where the
    ///   file says none.
    case untrusted(file: String, version: Int64? = nil, Distrust)
    case expired(Expiry)
    /// The catalogue lists no such target.
    case noSuchTarget(path: UTF8Text)
    /// The local copy could not be read or written.
    case localState(DurableFileError)
    /// Another process held the local state for as long as `CatalogueLimits.lockTime`.
    case locked(path: String)
    case cancelled
}

/// What is wrong with a file that was received or found.
public enum Distrust: Error, Equatable, Sendable {
    /// Longer than its limit in bytes.
    case tooLarge(limit: Int)
    /// A page for people came in the file's place: from a network that wants a sign-in first, or a wrong address.
    case webPage
    case wrongLength(expected: Int, actual: Int)
    case wrongHash(algorithm: UTF8Text)
    /// No hash is listed that this client can compute, or one among others that it cannot.
    case unknownHashAlgorithm(UTF8Text)
    case notJSON(JSONFault)
    /// A field that is missing or of another type, form or range than the specification asks for.
    case badField(String)
    case wrongType(expected: Role, actual: UTF8Text)
    case unknownSpecification(version: UTF8Text)
    /// Fewer distinct keys of the role than its threshold have signed.
    ///
    /// - `unusable`: the schemes of the role's keys that signed and that this client has no use for, each once.
    case tooFewSignatures(of: RoleName, valid: Int, threshold: Int, unusable: [UTF8Text] = [])
    /// A key is named twice in `signatures`.
    case duplicateSignature(keyID: UTF8Text)
    /// Not the version that has to come next, or that another file lists.
    case wrongVersion(expected: Int64, actual: Int64)
    /// Older than what was trusted before.
    case rollback(trusted: Int64, actual: Int64)
    /// It lists another file in a version older than what was listed before.
    case rollbackListed(file: UTF8Text, trusted: Int64, actual: Int64)
    /// A role that the trusted snapshot listed, which the new one does not.
    case vanishedFromSnapshot(file: UTF8Text)
    /// The snapshot does not list a file that it has to list.
    case missingFromSnapshot(file: UTF8Text)
    /// More roots than `CatalogueLimits.rootRotations`.
    case tooManyRoots(limit: Int)
    /// More delegated roles to ask about a target than `CatalogueLimits.delegations`.
    case tooManyDelegations(limit: Int)
    /// More targets of delegated roles than `CatalogueLimits.listedTargets`.
    case tooManyTargets(limit: Int)
    /// A target's path that leads out of a folder, or nowhere.
    case unsafePath
    /// libcrypto failed.
    case cryptography(operation: String)
}

/// A file whose time is over.
public struct Expiry: Error, Equatable, Sendable {
    public let role: RoleName
    public let version: Int64
    public let expired: UTCTime
    /// What this machine took the time to be.
    public let now: UTCTime
    /// When this machine last refreshed the catalogue with success; `nil` when it never did.
    public var lastRefresh: UTCTime?
}

extension CatalogueError {
    /// More bytes than a file may have, or a page, say something about the file; every other fault of a mirror does not.
    init(_ error: MirrorError, file: String) {
        self =
            switch error {
            case .tooLarge(let limit): .untrusted(file: file, .tooLarge(limit: limit))
            case .webPage: .untrusted(file: file, .webPage)
            case .cancelled: .cancelled
            case .notFound, .stopped, .transfer, .folder: .unreachable(file: file, error)
            }
    }
}

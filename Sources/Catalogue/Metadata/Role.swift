/// The four top-level roles (specification 2.1).
public enum Role: String, Hashable, Sendable, CaseIterable {
    case root
    case timestamp
    case snapshot
    case targets

    /// The unversioned file name.
    var fileName: String { rawValue + ".json" }
}

/// What the four kinds of metadata have in common.
protocol SignedMetadata: Sendable {
    static var role: Role { get }
    var version: Int64 { get }
    var expires: UTCTime { get }
    init(signed: Fields) throws(Distrust)
}

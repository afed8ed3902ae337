public import Catalogue
public import CommandLineTools

/// The options of every verb that reads the catalogue.
public struct CatalogueOptions: Hashable, Sendable {
    public var mode: CatalogueUpdater.Mode
    public var includesCandidates: Bool
    /// In place of the configured one: a URL, or a folder's path.
    public var address: String?

    public static let offline = Option(
        "--offline", "make no request: what this machine holds, or a folder; an expired timestamp is told, not refused")
    public static let candidates = Option("--candidates", "release candidates too")
    public static let catalogue = Option(
        "--catalogue", value: "URL|DIR", "the catalogue's address, in place of the configured one")

    public static let options = [candidates, offline, catalogue]

    public init(_ arguments: ParsedArguments) {
        mode = arguments.has(Self.offline) ? .offline : .online
        includesCandidates = arguments.has(Self.candidates)
        address = arguments.value(of: Self.catalogue)
    }
}

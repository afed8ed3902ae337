public import Catalogue
public import CommandLineTools

extension SemanticVersion {
    /// A version as a person types it.
    ///
    /// - Throws: ``ExitStatus/usage``; the remedy has what was meant, where that can be seen.
    public init(argument text: String) throws(CommandFailure) {
        guard let version = SemanticVersion(text) else {
            throw .usage("“\(text.printable)” is no semantic version", remedy: Self.remedy(for: text))
        }
        self = version
    }

    /// `as in 1.4.0`: the words of a version that lacks its last numbers, or has a `v` before it.
    static func remedy(for text: String) -> String {
        let bare = text.hasPrefix("v") ? String(text.dropFirst()) : text
        let meant = [bare, bare + ".0", bare + ".0.0"].first { SemanticVersion($0) != nil }
        return "as in \(meant ?? "1.5.0 or 1.6.0-rc.1")"
    }
}

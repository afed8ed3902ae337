/// A target whose path and `custom` say different things: no release, and nothing to be left out in silence.
public struct ReleaseContradiction: Hashable, Sendable {
    public let path: UTF8Text
    /// `family` or `version`.
    public let field: String
    /// What the path says.
    public let pathValue: String
    public let customValue: String

    /// Nil for a release, and for what is none for another reason.
    public init?(_ target: Target) {
        do throws(ReleaseFault) {
            _ = try Release(target)
            return nil
        } catch {
            guard case .pathDisagrees(let field, let path, let custom) = error else { return nil }
            self.path = target.path
            self.field = field
            pathValue = path
            customValue = custom
        }
    }

    /// - Parameters: nil for any.
    public func concerns(family: String?, version: SemanticVersion?) -> Bool {
        let parts = path.string.split(separator: "/").map(String.init)
        let families = parts.prefix(1) + (field == "family" ? [customValue] : [])
        let versions = parts.dropFirst().prefix(1) + (field == "version" ? [customValue] : [])
        return (family.map { families.contains($0) } ?? true)
            && (version.map { versions.contains($0.description) } ?? true)
    }
}

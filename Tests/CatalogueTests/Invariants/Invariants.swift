@testable import Catalogue

/// What holds for any bytes at all, for the fuzzers and for the tests that go through what they found.
public enum Invariants {
    /// What is read as JSON is written and read again as the same value.
    public static func holdForJSON(_ bytes: [UInt8]) -> Bool {
        guard let value = try? JSONReader.read(bytes) else { return true }
        return (try? JSONReader.read(plainJSON(value))) == value
    }

    /// No reader of metadata crashes, and what is signed does not depend on how it was written down.
    public static func holdForMetadata(_ bytes: [UInt8]) -> Bool {
        guard let envelope = try? Envelope(bytes, limits: JSONLimits()) else { return true }
        if let root = try? envelope.metadata(Root.self) {
            for role in Role.allCases { try? root.verify(envelope, as: role) }
        }
        _ = try? envelope.metadata(Timestamp.self)
        _ = try? envelope.metadata(Snapshot.self)
        if let targets = try? envelope.metadata(Targets.self) { search(targets) }
        guard let value = try? JSONReader.read(bytes) else { return false }
        return (try? Envelope(plainJSON(value), limits: JSONLimits()))?.signedBytes == envelope.signedBytes
    }

    private static func search(_ targets: Targets) {
        for target in targets.targets {
            _ = try? Release(target)
            _ = try? target.servedPath(consistentSnapshot: true)
        }
        var search = DelegationSearch(for: "family/1.0.0/image.bin", from: targets, limit: 8)
        while let mandate = (try? search.next()) ?? nil { search.follow(targets, of: mandate.role) }
    }

    /// A pattern, a line end and a path: the matcher says what the definition by recursion says.
    public static func holdForPathPattern(_ bytes: [UInt8]) -> Bool {
        let parts = bytes.split(separator: 0x0A, maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let pattern = String(validating: parts[0], as: UTF8.self),
            let path = String(validating: parts[1], as: UTF8.self)
        else { return true }
        guard let isMatch = PathPattern(UTF8Text(pattern))?.matches(UTF8Text(path)) else {
            return parts[0].count > CatalogueLimits.pathBytes
        }
        // The definition takes time that grows without bound with the number of asterisks.
        guard path.utf8.count <= 24, pattern.utf8.count(where: { $0 == UInt8(ascii: "*") }) <= 4 else { return true }
        return isMatch == matchesByDefinition(pattern.unicodeScalars[...], path.unicodeScalars[...])
    }

    /// Specification 4.5, PATHPATTERN, in the plainest way.
    public static func matchesByDefinition(
        _ pattern: Substring.UnicodeScalarView, _ path: Substring.UnicodeScalarView
    ) -> Bool {
        guard let wanted = pattern.first else { return path.isEmpty }
        let (rest, next) = (pattern.dropFirst(), path.first)
        if wanted == "*" {
            return matchesByDefinition(rest, path)
                || (next != nil && next != "/" && matchesByDefinition(pattern, path.dropFirst()))
        }
        guard let next, wanted == "?" ? next != "/" : wanted == next else { return false }
        return matchesByDefinition(rest, path.dropFirst())
    }
}

/// A pattern for targets' paths (specification 4.5, PATHPATTERN): `*` stands for any characters and `?` for one, neither
/// for `/`; everything else for itself, its case included.
struct PathPattern: Hashable, Sendable {
    /// Between the slashes.
    private let segments: [[Unicode.Scalar]]

    /// `nil` for a pattern of more than ``CatalogueLimits/pathBytes``.
    init?(_ text: UTF8Text) {
        guard text.bytes.count <= CatalogueLimits.pathBytes else { return nil }
        segments = text.pathSegments
    }

    func matches(_ path: UTF8Text) -> Bool {
        guard path.bytes.count <= CatalogueLimits.pathBytes else { return false }
        let others = path.pathSegments
        return segments.count == others.count
            && zip(segments, others).allSatisfy { Self.matches($0[...], $1[...]) }
    }

    /// Goes back to the last `*` alone, so the steps are no more than the product of both lengths.
    private static func matches(_ pattern: ArraySlice<Unicode.Scalar>, _ text: ArraySlice<Unicode.Scalar>) -> Bool {
        var (pattern, text) = (pattern, text)
        var retry: (pattern: ArraySlice<Unicode.Scalar>, text: ArraySlice<Unicode.Scalar>)?
        while let next = text.first {
            if pattern.first == "*" {
                pattern = pattern.dropFirst()
                retry = (pattern, text)
            } else if let wanted = pattern.first, wanted == "?" || wanted == next {
                pattern = pattern.dropFirst()
                text = text.dropFirst()
            } else if let last = retry {
                text = last.text.dropFirst()
                pattern = last.pattern
                retry = (pattern, text)
            } else {
                return false
            }
        }
        return pattern.allSatisfy { $0 == "*" }
    }
}

extension UTF8Text {
    fileprivate var pathSegments: [[Unicode.Scalar]] {
        string.unicodeScalars.split(separator: "/", omittingEmptySubsequences: false).map { Array($0) }
    }
}

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
            && zip(segments, others).allSatisfy { Self.matches($0, $1) }
    }

    /// Whether a path `<family>/<version>/<file>` may match; `nil` stands for any family.
    func mayMatchRelease(of family: String?) -> Bool {
        guard segments.count == 3 else { return false }
        return family.map { Self.matches(segments[0], Array($0.unicodeScalars)) } ?? true
    }

    /// Goes back to the last `*` alone, so the steps are no more than the product of both lengths.
    private static func matches(_ pattern: [Unicode.Scalar], _ text: [Unicode.Scalar]) -> Bool {
        var (wanted, next) = (0, 0)
        var retry: (wanted: Int, next: Int)?
        while next < text.count {
            if wanted < pattern.count, pattern[wanted] == "*" {
                wanted += 1
                retry = (wanted, next)
            } else if wanted < pattern.count, pattern[wanted] == "?" || pattern[wanted] == text[next] {
                (wanted, next) = (wanted + 1, next + 1)
            } else if let last = retry {
                (wanted, next) = (last.wanted, last.next + 1)
                retry = (wanted, next)
            } else {
                return false
            }
        }
        return pattern[wanted...].allSatisfy { $0 == "*" }
    }
}

extension UTF8Text {
    fileprivate var pathSegments: [[Unicode.Scalar]] {
        string.unicodeScalars.split(separator: "/", omittingEmptySubsequences: false).map { Array($0) }
    }
}

/// A version by SemVer 2.0.0, without build metadata and of at most 31 bytes (what an application descriptor holds
/// with its NUL).
public struct SemanticVersion: Hashable, Comparable, Sendable, CustomStringConvertible {
    public let major: UInt64
    public let minor: UInt64
    public let patch: UInt64
    public let preRelease: [Identifier]

    /// One of the dot-separated parts after the hyphen.
    public enum Identifier: Hashable, Sendable {
        case number(UInt64)
        case text(String)
    }

    public static let maximumBytes = 31

    /// `nil` for anything but a whole version in SemVer's own form: no leading `v`, zeros or blanks, no `+build`.
    public init?(_ text: String) {
        guard text.utf8.count <= Self.maximumBytes else { return nil }
        let parts = text.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        let numbers = parts[0].split(separator: ".", omittingEmptySubsequences: false).map(Self.number)
        guard numbers.count == 3, let major = numbers[0], let minor = numbers[1], let patch = numbers[2] else {
            return nil
        }
        self.major = major
        self.minor = minor
        self.patch = patch
        guard parts.count == 2 else {
            preRelease = []
            return
        }
        let identifiers = parts[1].split(separator: ".", omittingEmptySubsequences: false)
        let read = identifiers.compactMap(Self.identifier)
        guard read.count == identifiers.count else { return nil }
        preRelease = read
    }

    public var isPreRelease: Bool { !preRelease.isEmpty }

    public var description: String {
        let core = "\(major).\(minor).\(patch)"
        return isPreRelease ? core + "-" + preRelease.map(\.description).joined(separator: ".") : core
    }

    /// SemVer section 11.
    public static func < (left: SemanticVersion, right: SemanticVersion) -> Bool {
        let (ours, theirs) = ((left.major, left.minor, left.patch), (right.major, right.minor, right.patch))
        guard ours == theirs else { return ours < theirs }
        guard left.isPreRelease, right.isPreRelease else { return left.isPreRelease && !right.isPreRelease }
        return left.preRelease.lexicographicallyPrecedes(right.preRelease)
    }

    /// A number without leading zeros that fits 64 bits.
    private static func number(_ text: Substring) -> UInt64? {
        guard !text.isEmpty, text.utf8.allSatisfy(isDigit), text == "0" || text.first != "0" else { return nil }
        return UInt64(text)
    }

    private static func identifier(_ text: Substring) -> Identifier? {
        guard !text.isEmpty, text.utf8.allSatisfy(isAllowed) else { return nil }
        guard text.utf8.allSatisfy(isDigit) else { return .text(String(text)) }
        return number(text).map { .number($0) }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) || byte == UInt8(ascii: "-")
    }
}

extension SemanticVersion.Identifier: Comparable, CustomStringConvertible {
    public var description: String {
        switch self {
        case .number(let value): String(value)
        case .text(let text): text
        }
    }

    /// SemVer section 11.4: numbers by value and below text, text by its ASCII bytes.
    public static func < (left: Self, right: Self) -> Bool {
        switch (left, right) {
        case (.number(let ours), .number(let theirs)): ours < theirs
        case (.number, .text): true
        case (.text, .number): false
        case (.text(let ours), .text(let theirs)): ours.utf8.lexicographicallyPrecedes(theirs.utf8)
        }
    }
}

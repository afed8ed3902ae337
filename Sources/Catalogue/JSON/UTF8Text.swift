/// Text compared and ordered by its UTF-8 bytes.
///
/// `String` takes canonically equivalent text for equal (`é` in one character and in two); in signed metadata those are
/// different names.
public struct UTF8Text: Hashable, Comparable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    public let bytes: [UInt8]

    public init(_ text: String) { bytes = Array(text.utf8) }
    public init(stringLiteral text: String) { self.init(text) }
    init(validated bytes: [UInt8]) { self.bytes = bytes }

    public var string: String { String(decoding: bytes, as: UTF8.self) }
    public var description: String { string }

    public static func < (left: UTF8Text, right: UTF8Text) -> Bool {
        left.bytes.lexicographicallyPrecedes(right.bytes)
    }
}

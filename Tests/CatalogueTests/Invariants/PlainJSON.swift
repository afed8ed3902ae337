@testable public import Catalogue

/// A value as real JSON that reads as the same value, unlike the canonical form with every control character escaped.
public func plainJSON(_ value: JSONValue) -> [UInt8] {
    switch value {
    case .array(let elements): Array("[".utf8) + joined(elements.map(plainJSON)) + Array("]".utf8)
    case .object(let object):
        Array("{".utf8)
            + joined(object.members.map { plainJSON(.text($0.name)) + Array(":".utf8) + plainJSON($0.value) })
            + Array("}".utf8)
    case .text(let text):
        Array("\"".utf8)
            + text.bytes.flatMap { byte -> [UInt8] in
                switch byte {
                case 0..<0x20: Array("\\u00\(Hexadecimal.encode([byte]))".utf8)
                case UInt8(ascii: "\""), UInt8(ascii: "\\"): [UInt8(ascii: "\\"), byte]
                default: [byte]
                }
            } + Array("\"".utf8)
    case .null, .boolean, .integer: CanonicalJSON.encode(value)
    }
}

private func joined(_ parts: [[UInt8]]) -> [UInt8] { Array(parts.joined(separator: Array(",".utf8))) }

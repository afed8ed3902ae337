@testable public import Catalogue

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    public init(stringLiteral value: String) { self = .text(UTF8Text(value)) }
    public init(integerLiteral value: Int64) { self = .integer(value) }
    public init(booleanLiteral value: Bool) { self = .boolean(value) }
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    public init(dictionaryLiteral members: (String, JSONValue)...) { self = .members(members) }

    /// - Precondition: no name comes twice.
    static func members(_ members: [(String, JSONValue)]) -> JSONValue {
        .object(JSONObject(members.map { JSONObject.Member(name: UTF8Text($0.0), value: $0.1) })!)
    }

    /// The object with a member replaced, added, or (given `nil`) taken out.
    func setting(_ name: String, to value: JSONValue?) -> JSONValue {
        let others = (objectValue?.members ?? []).filter { $0.name != UTF8Text(name) }.map {
            ($0.name.string, $0.value)
        }
        return .members(others + (value.map { [(name, $0)] } ?? []))
    }
}

/// A value as real JSON, unlike the canonical form with every control character escaped.
func plainJSON(_ value: JSONValue) -> [UInt8] {
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

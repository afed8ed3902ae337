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

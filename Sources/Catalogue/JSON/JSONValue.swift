/// A JSON value as signed metadata may hold it: numbers are whole and within 64 bits.
public enum JSONValue: Hashable, Sendable {
    case null
    case boolean(Bool)
    case integer(Int64)
    case text(UTF8Text)
    case array([JSONValue])
    case object(JSONObject)

    public var integerValue: Int64? { if case .integer(let value) = self { value } else { nil } }
    public var textValue: UTF8Text? { if case .text(let value) = self { value } else { nil } }
    public var arrayValue: [JSONValue]? { if case .array(let value) = self { value } else { nil } }
    public var objectValue: JSONObject? { if case .object(let value) = self { value } else { nil } }
    public var booleanValue: Bool? { if case .boolean(let value) = self { value } else { nil } }
}

/// The members of an object, ordered by the bytes of their names; no name comes twice.
public struct JSONObject: Hashable, Sendable {
    public let members: [Member]

    public struct Member: Hashable, Sendable {
        public let name: UTF8Text
        public let value: JSONValue
    }

    /// `nil` when a name comes twice.
    init?(_ unordered: [Member]) {
        let ordered = unordered.sorted { $0.name < $1.name }
        for (one, next) in zip(ordered, ordered.dropFirst()) where one.name == next.name { return nil }
        members = ordered
    }

    public subscript(name: UTF8Text) -> JSONValue? {
        var range = members.indices
        while let middle = range.isEmpty ? nil : range.lowerBound + range.count / 2 {
            let member = members[middle]
            if member.name == name { return member.value }
            range = member.name < name ? middle + 1..<range.upperBound : range.lowerBound..<middle
        }
        return nil
    }
}

import Foundation

/// A document that a program printed, as a test looks at it: `document["reading"]["slots"][0]["version"]`.
public enum JSONDocument: Hashable, Sendable {
    case null
    case boolean(Bool)
    case integer(Int)
    /// Not a whole one.
    case number(Double)
    case string(String)
    case array([JSONDocument])
    case object([String: JSONDocument])

    /// Nil for what is no JSON.
    public init?(parsing text: String) {
        guard let value = try? JSONDecoder().decode(JSONDocument.self, from: Data(text.utf8)) else { return nil }
        self = value
    }

    /// Null where it is no object, or has no such member.
    public subscript(name: String) -> JSONDocument {
        guard case .object(let members) = self else { return .null }
        return members[name] ?? .null
    }

    /// Null where it is no array, or has not as many elements.
    public subscript(index: Int) -> JSONDocument {
        guard case .array(let elements) = self, elements.indices.contains(index) else { return .null }
        return elements[index]
    }

    /// Empty where it is no array.
    public var elements: [JSONDocument] {
        guard case .array(let elements) = self else { return [] }
        return elements
    }

    public var text: String? {
        guard case .string(let text) = self else { return nil }
        return text
    }

    public var integer: Int? {
        guard case .integer(let number) = self else { return nil }
        return number
    }

    /// Whole or not.
    public var double: Double? {
        switch self {
        case .integer(let number): Double(number)
        case .number(let number): number
        default: nil
        }
    }
}

extension JSONDocument: Decodable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .boolean(value)
        } else if let value = try? container.decode(Int.self) {
            self = .integer(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([JSONDocument].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: JSONDocument].self))
        }
    }
}

extension JSONDocument: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByNilLiteral
{
    public init(stringLiteral value: String) { self = .string(value) }
    public init(integerLiteral value: Int) { self = .integer(value) }
    public init(booleanLiteral value: Bool) { self = .boolean(value) }
    public init(nilLiteral: ()) { self = .null }
}

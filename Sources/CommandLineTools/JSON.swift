/// A JSON document as it is printed: members keep their order, one document is one line (RFC 8259, JSON Lines).
public enum JSON: Sendable {
    case null
    case boolean(Bool)
    case integer(Int64)
    case number(Double)
    case string(String)
    case array([JSON])
    case object([(String, JSON)])

    /// A string, or null where there is none.
    public static func optional(_ text: String?) -> JSON { text.map(JSON.string) ?? .null }

    public static func optional(_ number: (some BinaryInteger)?) -> JSON {
        number.map { Int64(exactly: $0).map(JSON.integer) ?? .number(Double($0)) } ?? .null
    }

    /// A document of a verb: `schema` comes first.
    public static func document(_ schema: String, _ members: [(String, JSON)]) -> JSON {
        .object([("schema", .string(schema))] + members)
    }

    /// One line without a line break at its end.
    public var text: String {
        var output = ""
        write(to: &output)
        return output
    }

    /// The same over several lines, for people.
    public var indentedText: String {
        var output = ""
        write(to: &output, indentation: 0)
        return output
    }

    private func write(to output: inout String, indentation: Int) {
        let (inner, outer) = (
            String(repeating: "  ", count: indentation + 1), String(repeating: "  ", count: indentation)
        )
        switch self {
        case .array(let elements) where !elements.isEmpty:
            for (index, element) in elements.enumerated() {
                output += (index == 0 ? "[\n" : ",\n") + inner
                element.write(to: &output, indentation: indentation + 1)
            }
            output += "\n\(outer)]"
        case .object(let members) where !members.isEmpty:
            for (index, (name, value)) in members.enumerated() {
                output += (index == 0 ? "{\n" : ",\n") + inner
                JSON.quote(name, to: &output)
                output += ": "
                value.write(to: &output, indentation: indentation + 1)
            }
            output += "\n\(outer)}"
        default: write(to: &output)
        }
    }

    private func write(to output: inout String) {
        switch self {
        case .null: output += "null"
        case .boolean(let value): output += value ? "true" : "false"
        case .integer(let value): output += String(value)
        case .number(let value): output += value.isFinite ? String(value) : "null"
        case .string(let value): JSON.quote(value, to: &output)
        case .array(let elements):
            output += "["
            for (index, element) in elements.enumerated() {
                if index > 0 { output += "," }
                element.write(to: &output)
            }
            output += "]"
        case .object(let members):
            output += "{"
            for (index, (name, value)) in members.enumerated() {
                if index > 0 { output += "," }
                JSON.quote(name, to: &output)
                output += ":"
                value.write(to: &output)
            }
            output += "}"
        }
    }

    private static func quote(_ text: String, to output: inout String) {
        output += "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": output += "\\\""
            case "\\": output += "\\\\"
            case "\n": output += "\\n"
            case "\t": output += "\\t"
            case "\r": output += "\\r"
            // A terminal that shows a document must not be steered by it.
            case _ where scalar.steersTerminal:
                let digits = String(scalar.value, radix: 16)
                output += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: output.unicodeScalars.append(scalar)
            }
        }
        output += "\""
    }
}

extension JSON {
    /// Several lines, two spaces a level, for files that people edit. Without a line break at its end.
    ///
    /// What has no arrays and objects in it stays on one line.
    public var indented: String { indented(by: "") }

    private func indented(by indent: String) -> String {
        let inner = indent + "  "
        switch self {
        case .array(let elements) where elements.contains(where: \.isNested):
            let lines = elements.map { inner + $0.indented(by: inner) }
            return "[\n" + lines.joined(separator: ",\n") + "\n\(indent)]"
        case .object(let members) where !members.isEmpty && (indent.isEmpty || members.contains { $0.1.isNested }):
            let lines = members.map { inner + JSON.string($0.0).text + ": " + $0.1.indented(by: inner) }
            return "{\n" + lines.joined(separator: ",\n") + "\n\(indent)}"
        default: return text
        }
    }

    private var isNested: Bool {
        switch self {
        case .array, .object: true
        case .null, .boolean, .integer, .number, .string: false
        }
    }
}

import Foundation

/// `Protocol/wire.md`, as far as its form is under test.
struct WireDocument {
    /// A row of a table, or a paragraph or list item, which has one cell.
    struct Claim {
        let section: String
        /// The table's first row; empty where there is no table.
        let header: [String]
        let cells: [String]
    }

    private(set) var claims: [Claim] = []
    private(set) var sections: [String] = []

    init(contentsOf file: URL) throws {
        var header: [String] = []
        var isCode = false
        for line in try String(contentsOf: file, encoding: .utf8).split(
            separator: "\n", omittingEmptySubsequences: false)
        {
            if line.hasPrefix("```") { isCode.toggle() }
            guard !isCode, !line.hasPrefix("```") else { continue }
            switch line.first {
            case "#":
                sections.append(String(line.drop { $0 == "#" || $0 == " " }))
            case "|" where header.isEmpty:
                header = Self.cells(line)
            case "|" where line.hasPrefix("|--"):
                continue
            case "|":
                claims.append(Claim(section: sections.last ?? "", header: header, cells: Self.cells(line)))
            case nil:
                header = []
            default:
                claims.append(Claim(section: sections.last ?? "", header: [], cells: [String(line)]))
            }
        }
    }

    /// Rows of the table with that header.
    func rows(under header: [String]) -> [[String]] {
        claims.filter { $0.header == header }.map(\.cells)
    }

    private static func cells(_ line: Substring) -> [String] {
        line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
    }
}

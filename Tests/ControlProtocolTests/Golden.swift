import ControlProtocol
import Foundation
import Testing

/// This target's folder and the contract's, found from this file's place.
enum Folder {
    static let tests = URL(filePath: #filePath).deletingLastPathComponent()
    static let contract = tests.appending(path: "../../Protocol").standardized
}

/// A row of `Fixtures/golden.tsv`: bytes of a message, and where they come from.
struct GoldenRow: Sendable, CustomTestStringConvertible {
    let name: String
    let message: String
    let text: String
    let bytes: [UInt8]
    let origin: String

    var testDescription: String { name }

    static func all() throws -> [GoldenRow] {
        let file = Folder.tests.appending(path: "Fixtures/golden.tsv")
        return try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
            .filter { !$0.hasPrefix("#") }
            .map { line in
                let columns = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
                try #require(columns.count == 5, "\(line)")
                return GoldenRow(
                    name: columns[0], message: columns[1], text: columns[2],
                    bytes: ControlProtocolTests.bytes(columns[3]),
                    origin: columns[4])
            }
    }
}

import Foundation
import Testing

/// `docs/protocol.md`: every message of the contract with its grade.
@Suite struct `The table of messages` {
    private let document: WireDocument

    init() throws {
        document = try WireDocument(contentsOf: Folder.contract.appending(path: "../docs/protocol.md").standardized)
    }

    @Test func `has every message of the contract once, and no other`() throws {
        let listed = document.rows(under: ["message", "carried by", "grade"]).map { $0[0] }
        let declared = try Protoc.files.flatMap { file in
            let text = try String(contentsOf: Folder.contract.appending(path: file), encoding: .utf8)
            return text.matches(of: /(?m)^message (\w+)/).map { "`\($0.1)`" }
        }
        #expect(declared.count > 30)
        #expect(listed.sorted() == declared.sorted())
    }

    @Test func `gives each one of the grades of the wire's document`() throws {
        let wire = try WireDocument(contentsOf: Folder.contract.appending(path: "wire.md"))
        let grades = Set(wire.rows(under: ["grade", "meaning"]).map { $0[0] })
        for row in document.rows(under: ["message", "carried by", "grade"]) {
            #expect(grades.contains(row[2]), "\(row)")
        }
    }
}

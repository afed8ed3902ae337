import ControlProtocol
import Foundation
import Testing

@Suite struct `The wire's document` {
    let document: WireDocument
    let grades: Set<String>

    init() throws {
        document = try WireDocument(contentsOf: Folder.contract.appending(path: "wire.md"))
        grades = Set(document.rows(under: ["grade", "meaning"]).map { $0[0] })
    }

    @Test func `knows four grades`() {
        #expect(grades == ["*espressif*", "*rig*", "*simulated*", "*decided*"])
    }

    @Test func `grades every row of a table, every paragraph and every item of a list`() {
        let graded = document.claims.filter { !isIntroduction($0) }
        #expect(graded.count > 100)
        for claim in graded {
            let isGraded = grades.contains { claim.cells.last?.hasSuffix($0) ?? false }
            #expect(isGraded, "\(claim.section): \(claim.cells)")
            #expect(claim.header.isEmpty || claim.header.last == "grade" && claim.header.count == claim.cells.count)
        }
    }

    @Test func `grades something in every section that has no sections of its own`() {
        let graded = Set(document.claims.map(\.section))
        #expect(document.sections.filter { !graded.contains($0) } == [])
    }

    @Test func `has the endpoints of the code`() {
        let rows = document.rows(under: ["endpoint (descriptor 0x2901)", "id", "characteristic", "carries", "grade"])
        let endpoints = EndpointName.allCases.map { endpoint in
            [
                "`\(endpoint.rawValue)`", String(endpoint.identifier, radix: 16, uppercase: true),
                "`\(EarsService.characteristicUUID(of: endpoint))`",
            ]
        }
        #expect(rows.map { Array($0[..<3]) } == endpoints)
        #expect(document.claims.contains { $0.cells[0].contains(EarsService.uuid) })
    }

    @Test func `has the chunk sizes that the encoding gives`() throws {
        let rows = document.rows(under: ["message limit", "session", "offset", "bytes of data", "grade"])
        #expect(rows.count == 5)
        for row in rows {
            let numbers = row.dropLast().compactMap { Int($0) }
            try #require(numbers.count == 4)
            let largest = UpdateRequest.largestChunk(
                session: UInt32(numbers[1]), offset: UInt32(numbers[2]), messageLimit: numbers[0])
            #expect(largest == numbers[3], "\(row)")
        }
    }

    @Test(arguments: [
        ("espurr_update.proto", "UPDATE_STATE_", ["state", "what is going on", "leaves it", "grade"]),
        ("espurr_settings.proto", "CHANGE_STAGE_", ["stage", "the change is", "then", "grade"]),
        ("espurr_settings.proto", "SETTING_REFUSAL_", ["refusal", "because", "grade"]),
        ("espurr_settings.proto", "CALIBRATION_PHASE_", ["calibration", "is", "then", "grade"]),
        ("espurr_update.proto", "UPDATE_REFUSAL_", ["refusal", "because", "grade"]),
        ("espurr_audio.proto", "AUDIO_STATE_", ["state of the audio", "what is going on", "leaves it", "grade"]),
        ("espurr_audio.proto", "AUDIO_REFUSAL_", ["refusal of audio", "because", "grade"]),
    ])
    func `names every state, stage and refusal of the contract`(
        file: String, prefix: String, header: [String]
    ) throws {
        let contract = try String(contentsOf: Folder.contract.appending(path: file), encoding: .utf8)
        let names = contract.matches(of: try Regex("\(prefix)([A-Z_]+) =")).compactMap {
            $0[1].substring.map(String.init)
        }
        let described = Set(document.rows(under: header).map { $0[0] })
        #expect(!names.isEmpty)
        for name in names where name != "NONE" { #expect(described.contains("`\(name)`"), "\(name)") }
    }

    @Test func `has the bytes of the fixtures that come from Espressif's handler`() throws {
        let rows = document.claims.filter { $0.header == ["request", "reply", "grade"] }.flatMap(\.cells)
        let shown = Set(rows.flatMap { $0.matches(of: /`([0-9a-f ]+)`/).map { bytes(String($0.1)) } })
        let handler = try GoldenRow.all().filter { $0.origin.hasPrefix("Espressif") }.map(\.bytes)
        #expect(shown == Set(handler))
    }

    /// What stands before the first numbered section, and the section on grades itself.
    private func isIntroduction(_ claim: WireDocument.Claim) -> Bool {
        ["1. Grades", document.sections[0]].contains(claim.section)
    }
}

@Suite struct `The ears' service` {
    @Test func `has one characteristic UUID for each endpoint`() {
        #expect(
            EndpointName.allCases.map { EarsService.characteristicUUID(of: $0).prefix(8) } == [
                "8a47ff50", "8a47ff51", "8a47ff52", "8a47ff4f", "8a47ff4d", "8a47ff4e",
            ])
        #expect(EndpointName.allCases.allSatisfy { EarsService.characteristicUUID(of: $0).count == 36 })
    }
}

import Testing

@testable import Catalogue

@Suite struct ReleaseTests {
    static let path = "v2-8m/1.6.0-rc.1/espurr.bin"
    static let custom: JSONValue = [
        "schema": 1, "family": "v2-8m", "chip": "ESP32-S3", "version": "1.6.0-rc.1", "channel": "candidate",
        "application_protocol": 2, "released": "2026-09-01T12:00:00Z", "notes": "One.\nTwo.", "more": "ignored",
    ]

    private func release(_ custom: JSONValue?, path: String = path) throws -> Release {
        let entry: JSONValue = ["length": 7, "hashes": ["sha256": "00ff"]]
        let fields = try Fields(custom.map { entry.setting("custom", to: $0) } ?? entry, at: "target")
        return try Release(try Target(path: UTF8Text(path), fields))
    }

    @Test func `a well-formed release is read`() throws {
        let release = try release(Self.custom)
        #expect(release.family == "v2-8m")
        #expect(release.chip == "ESP32-S3")
        #expect(release.version == SemanticVersion("1.6.0-rc.1"))
        #expect(release.channel == .candidate)
        #expect(release.applicationProtocol == 2)
        #expect(release.released == UTCTime("2026-09-01T12:00:00Z"))
        #expect(release.notes == "One.\nTwo.")
        #expect(release.target.path == UTF8Text(Self.path))
        #expect(release.target.length == 7)
        #expect(release.target.sha256 == "00ff")
    }

    @Test func `a target without custom is no release`() {
        #expect(throws: ReleaseFault.noCustom) { try release(nil) }
        #expect(throws: ReleaseFault.noCustom) { try release("text") }
    }

    @Test(arguments: [0, 2, -1] as [Int64]) func `an unknown schema is told`(schema: Int64) {
        #expect(throws: ReleaseFault.unknownSchema(schema)) {
            try release(Self.custom.setting("schema", to: .integer(schema)))
        }
    }

    @Test(arguments: [
        "schema", "family", "chip", "version", "channel", "application_protocol", "released", "notes",
    ])
    func `a missing field, or one of another type, is named`(field: String) {
        #expect(throws: ReleaseFault.badField(field)) { try release(Self.custom.setting(field, to: nil)) }
        #expect(throws: ReleaseFault.badField(field)) { try release(Self.custom.setting(field, to: .null)) }
    }

    @Test(
        arguments: [
            ("family", "v2 8m"), ("family", ""), ("chip", "ESP32\u{1B}[2J"), ("version", "1.6"),
            ("version", "1.6.0+build"), ("channel", "Stable"), ("channel", "beta"), ("released", "2026-09-01"),
            ("notes", "\u{1B}]0;title\u{7}"), ("notes", "a\tb"), ("notes", "\u{9B}2J"), ("application_protocol", "2"),
        ] as [(String, JSONValue)])
    func `a field of another form is named`(field: String, value: JSONValue) {
        #expect(throws: ReleaseFault.badField(field)) { try release(Self.custom.setting(field, to: value)) }
    }

    @Test(arguments: [-1, 65536] as [Int64]) func `a protocol beyond sixteen bits is refused`(number: Int64) {
        #expect(throws: ReleaseFault.badField("application_protocol")) {
            try release(Self.custom.setting("application_protocol", to: .integer(number)))
        }
    }

    @Test func `notes have a limit`() throws {
        func noted(_ count: Int) -> JSONValue {
            Self.custom.setting("notes", to: .init(stringLiteral: String(repeating: "x", count: count)))
        }
        #expect(try release(noted(4096)).notes.count == 4096)
        #expect(throws: ReleaseFault.badField("notes")) { try release(noted(4097)) }
    }

    @Test(arguments: [
        ("v2-16m/1.6.0-rc.1/espurr.bin", ReleaseFault.pathDisagrees(field: "family", path: "v2-16m", custom: "v2-8m")),
        ("v2-8m/1.6.0/espurr.bin", .pathDisagrees(field: "version", path: "1.6.0", custom: "1.6.0-rc.1")),
    ])
    func `a path and a custom that disagree are told apart`(path: String, fault: ReleaseFault) {
        #expect(throws: fault) { try release(Self.custom, path: path) }
    }

    @Test(arguments: [
        "espurr.bin", "v2-8m/espurr.bin", "v2-8m/1.6.0-rc.1/more/espurr.bin", "v2-8m/1.6.0-rc.1/espurr.elf",
        "v2-8m/1.6.0-rc.1/.bin", "v2-8m/1.6.0-rc.1/\u{1B}[31mx.bin", "v2-8m/1.6.0-rc.1/a\nb.bin",
        "/1.6.0-rc.1/espurr.bin", "v2-8m//espurr.bin", "v2-8m/1.6.0-rc.1/espurr.BIN",
    ])
    func `a path of another form is no release`(path: String) {
        #expect(throws: ReleaseFault.otherPath) { try release(Self.custom, path: path) }
    }

    @Test func `a catalogue tells its releases from its other targets`() async throws {
        var repository = TestRepository()
        repository.targets = [
            Self.path: ([1], Self.custom), "readme.txt": ([2], nil),
            "s3/1.6.0-rc.1/espurr.bin": ([3], Self.custom),
        ]
        let listing = ReleaseListing(try await TestClient(repository).refresh().targets.targets)
        #expect(listing.releases.map(\.target.path) == [UTF8Text(Self.path)])
        #expect(listing.otherTargets.map(\.target.path) == ["readme.txt", "s3/1.6.0-rc.1/espurr.bin"])
        #expect(
            listing.otherTargets.map(\.reason) == [
                .otherPath, .pathDisagrees(field: "family", path: "s3", custom: "v2-8m"),
            ])
    }
}

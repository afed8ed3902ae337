import Foundation
import TestSupport
import Testing

@testable import Catalogue

/// The committed demonstration catalogue, made and signed by python-tuf, through the ordinary client.
@Suite struct DemonstrationCatalogueTests {
    private static let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    private static func committed(_ path: String) throws -> [UInt8] {
        Array(try Data(contentsOf: package.appendingPathComponent(path)))
    }

    private static func file(_ name: String) throws -> [UInt8] {
        try committed("Sources/Simulator/DemonstrationRepository/\(name).json")
    }

    /// The repository as it is served.
    private func mirror() throws -> TestMirror {
        let mirror = TestMirror()
        for (name, file) in [
            ("1.root", "root.1"), ("2.root", "root.2"), ("timestamp", "timestamp"), ("1.snapshot", "snapshot.1"),
            ("1.targets", "targets.1"),
        ] {
            mirror.put("\(name).json", try Self.file(file))
        }
        return mirror
    }

    @Test func `from the shipped root, through a rotation, to the releases`() async throws {
        let mirror = try mirror()
        var client = try await TestClient(
            trusting: Self.committed("catalogue-keys/demonstration.root.json"), mirror: mirror)
        client.now = try #require(UTCTime("2098-12-31T00:00:00Z"))
        let contents = try await client.refresh()
        #expect(contents.root.version == 2)
        let listing = ReleaseListing(contents.targets.targets)
        #expect(listing.otherTargets.isEmpty)
        let found = listing.releases.map { "\($0.family) \($0.chip) \($0.version) \($0.channel)" }
        let families = [("esp32", "ESP32"), ("s3", "ESP32-S3"), ("v2-16m", "ESP32-S3"), ("v2-8m", "ESP32-S3")]
        #expect(
            found
                == families.flatMap { family, chip in
                    ["1.4.0 stable", "1.5.0 stable", "1.6.0-rc.1 candidate"].map { "\(family) \(chip) \($0)" }
                })
        #expect(listing.releases.allSatisfy { (600 * 1024...1536 * 1024).contains($0.target.length) })
        #expect(
            mirror.takeRequests() == [
                "2.root.json", "3.root.json", "timestamp.json", "1.snapshot.json", "1.targets.json",
            ])
    }

    @Test func `its first root takes two of three keys`() throws {
        let root = try TrustedRoot(Self.file("root.1"))
        #expect(root.bytes == (try Self.committed("catalogue-keys/demonstration.root.json")))
        #expect(root.threshold(of: .root) == 2)
        #expect(Set(root.keys.filter { $0.role == .root }.compactMap(\.fingerprint)).count == 3)
        #expect(Set(root.keys.compactMap(\.fingerprint)).count == 6)
    }
}

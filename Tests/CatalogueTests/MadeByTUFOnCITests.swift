import Foundation
import Testing

@testable import Catalogue

/// What tuf-on-ci really makes (`docs/publishing.md` says how this was): a family by a role of its own with a pattern for
/// each depth, ECDSA keys, and a root whose only signer was replaced.
@Suite struct MadeByTUFOnCITests {
    private struct Stored: Decodable {
        let trusted_root: String
        let metadata: [String: String]
        let targets: [String: String]
    }

    @Test func `from its first root, over a rotation, to the release of a delegated role`() async throws {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../BrokenRepositories/tuf-on-ci.json")
        let stored = try JSONDecoder().decode(Stored.self, from: try Data(contentsOf: file))
        let mirror = TestMirror()
        for (name, text) in stored.metadata.merging(stored.targets, uniquingKeysWith: { one, _ in one }) {
            mirror.put(name, Array(text.utf8))
        }
        let now = try #require(UTCTime("2026-12-01T00:00:00Z"))
        let client = try await TestClient(trusting: Array(stored.trusted_root.utf8), mirror: mirror)
        let updater = CatalogueUpdater(store: client.store, mirror: mirror, now: { now })
        let contents = try await updater.refresh()
        #expect(contents.root.version == 2)
        let release = try #require(try await updater.listing(of: contents, family: "s3").releases.first)
        #expect(release.version == SemanticVersion("1.5.0"))
        let source = TargetSource(contents, mirror: mirror, cache: client.cache)
        let image = try await source.contents(of: release.target)
        #expect(String(decoding: image, as: UTF8.self) == "firmware s3 1.5.0 by tuf-on-ci")
    }
}

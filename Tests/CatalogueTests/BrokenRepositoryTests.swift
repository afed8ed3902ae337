import Foundation
import Testing

@testable import Catalogue

/// Repositories that python-tuf made and a script broke (`Tests/BrokenRepositories/make.py`), each with its own refusal.
@Suite struct BrokenRepositoryTests {
    private static let repositories: [String: StoredRepository] = {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../BrokenRepositories/repositories.json")
        let data = (try? Data(contentsOf: file)) ?? Data()
        return (try? JSONDecoder().decode([String: StoredRepository].self, from: data)) ?? [:]
    }()

    @Test(arguments: expectedVerdicts.keys.sorted()) func `verdict`(name: String) async throws {
        let repository = try #require(Self.repositories[name])
        #expect(try await repository.verdict() == expectedVerdicts[name])
    }

    @Test func `every repository has a verdict`() {
        #expect(Set(Self.repositories.keys) == Set(expectedVerdicts.keys))
    }
}

/// What the client makes of a repository.
private enum StoredVerdict: Equatable {
    case accepted
    case refused(String, Distrust)
    /// The bytes are no JSON, wherever in them that shows.
    case notJSON(String, JSONFault.Reason)
    case other(CatalogueError)

    init(_ error: CatalogueError) {
        self =
            switch error {
            case .untrusted(let file, _, .notJSON(let fault)): .notJSON(file, fault.reason)
            case .untrusted(let file, _, let reason): .refused(file, reason)
            default: .other(error)
            }
    }
}

private struct StoredRepository: Decodable {
    let trustedRoot: String
    let metadata: [String: String]
    let targets: [String: String]
    let target: String

    enum CodingKeys: String, CodingKey {
        case trustedRoot = "trusted_root"
        case metadata, targets, target
    }

    func verdict() async throws -> StoredVerdict {
        let mirror = TestMirror()
        for (name, text) in metadata.merging(targets, uniquingKeysWith: { one, _ in one }) {
            mirror.put(name, Array(text.utf8))
        }
        let client = try await TestClient(trusting: Array(trustedRoot.utf8), mirror: mirror)
        do throws(CatalogueError) {
            let contents = try await client.refresh()
            let source = TargetSource(contents, mirror: mirror, cache: client.cache)
            let bytes = try await source.contents(of: contents.target(at: UTF8Text(target)))
            #expect(Array(targets.values) == [String(decoding: bytes, as: UTF8.self)])
            return .accepted
        } catch {
            return StoredVerdict(error)
        }
    }
}

private let target = "family/1.0.0/öhrchen 1?.bin"
private let timestamp = "timestamp.json"

private let expectedVerdicts: [String: StoredVerdict] = [
    "intact": .accepted,
    "six rotations": .accepted,
    "no consistent snapshot": .accepted,
    "names equal only as unicode": .accepted,
    "timestamp beyond its limit": .refused(timestamp, .tooLarge(limit: 16_384)),
    "target longer than listed": .refused(target, .tooLarge(limit: 22)),
    "target shorter than listed": .refused(target, .wrongLength(expected: 24, actual: 23)),
    "another file in the place of the target": .refused(target, .wrongHash(algorithm: "sha256")),
    "an unknown hash": .refused(target, .unknownHashAlgorithm("blake2b-256")),
    "a path that leads out": .refused("../outside.bin", .unsafePath),
    "specification 2": .refused(timestamp, .unknownSpecification(version: "2.0.0")),
    "specification without a minor version": .refused("1.targets.json", .unknownSpecification(version: "1")),
    "non ascii signed as escapes": .refused(
        "1.targets.json", .tooFewSignatures(of: .targets, valid: 0, threshold: 1)),
    "one key under two identifiers": .refused(timestamp, .tooFewSignatures(of: .timestamp, valid: 1, threshold: 2)),
    "one identifier twice in the signatures": .refused(
        timestamp, .duplicateSignature(keyID: "72b27d2a4972e8e82c59eb7f80231654f10e2e64f7d0226efa4937974608996e")),
    "snapshot signed with the key of the timestamp": .refused(
        "1.snapshot.json", .tooFewSignatures(of: .snapshot, valid: 0, threshold: 1)),
    "threshold zero": .refused("2.root.json", .badField("signed.roles.timestamp.threshold")),
    "duplicate name": .notJSON(timestamp, .duplicateName("version")),
    "duplicate name written with an escape": .notJSON(timestamp, .duplicateName("version")),
    "nested too deep": .notJSON("1.targets.json", .tooDeep(limit: 64)),
    "version out of range": .notJSON(timestamp, .integerOutOfRange),
    "version with a fraction": .notJSON(timestamp, .fraction),
    "version with an exponent": .notJSON(timestamp, .fraction),
    "a byte order mark": .notJSON(timestamp, .unexpectedByte(0xEF)),
    "more after the end": .notJSON(timestamp, .trailingBytes),
    "a lone surrogate": .notJSON(timestamp, .loneSurrogate),
    "a comma too many": .notJSON(timestamp, .unexpectedByte(UInt8(ascii: "]"))),
    "a page of html": .refused(timestamp, .webPage),
    "version zero": .refused(timestamp, .badField("signed.version")),
    "version as text": .refused(timestamp, .badField("signed.version")),
    "length below zero": .refused("1.targets.json", .badField("signed.targets.\(target).length")),
    "the thirtieth of february": .refused(timestamp, .badField("signed.expires")),
    "a leap second": .refused(timestamp, .badField("signed.expires")),
    "a date with an offset": .refused(timestamp, .badField("signed.expires")),
    "a date with short fields": .refused(timestamp, .badField("signed.expires")),
]
